// What every gradient rule of this dialect is written with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

Value GradientBuilder::add(Value a, Value b) { return create<AddOp>(a, b); }
Value GradientBuilder::sub(Value a, Value b) { return create<SubOp>(a, b); }
Value GradientBuilder::mul(Value a, Value b) { return create<MulOp>(a, b); }
Value GradientBuilder::div(Value a, Value b) { return create<DivOp>(a, b); }

Value GradientBuilder::scalar(double value, Value like) {
  auto element = cast<FloatType>(elementOf(like));
  return create<ConstantOp>(DenseElementsAttr::get(
      RankedTensorType::get({}, element), ArrayRef<Attribute>(FloatAttr::get(element, value))));
}

Value GradientBuilder::integer(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return create<ConstantOp>(DenseElementsAttr::get(type, value));
}

Value GradientBuilder::onesAlong(Value like, int64_t axis) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  Value one = create<ConstantOp>(DenseElementsAttr::get(type, int64_t(1)));
  bool varies = ShapedType::isDynamic(shapeOf(like)[axis]);
  return create<ExpandOp>(one, varies ? like : Value(),
                          builder.getDenseI64ArrayAttr(varies ? -1 : shapeOf(like)[axis]),
                          builder.getI64IntegerAttr(varies ? axis : 0));
}

Value GradientBuilder::sizeAlong(Value like, int64_t axis) {
  int64_t size = shapeOf(like)[axis];
  return ShapedType::isDynamic(size) ? sum(onesAlong(like, axis), {0}, /*keepDimensions=*/false)
                                     : integer(size);
}

Value GradientBuilder::countAlong(Value like, int64_t axis) {
  return create<CumSumOp>(onesAlong(like, axis), builder.getI64IntegerAttr(0),
                          builder.getI64IntegerAttr(1), builder.getI64IntegerAttr(0));
}

Value GradientBuilder::sum(Value value, ArrayRef<int64_t> axes, bool keepDimensions) {
  if (axes.empty())
    return value;
  return create<ReduceSumOp>(value, builder.getDenseI64ArrayAttr(axes),
                             builder.getI64IntegerAttr(keepDimensions),
                             builder.getI64IntegerAttr(0));
}

Value GradientBuilder::retype(Value value, Type type) {
  return value.getType() == type ? value : create<IdentityOp>(type, value);
}

Value GradientBuilder::sumTo(Value value, Type type) {
  ArrayRef<int64_t> wide = shapeOf(value), narrow = cast<RankedTensorType>(type).getShape();
  int64_t added = wide.size() - narrow.size();
  SmallVector<int64_t> repeated;
  for (auto [i, dimension] : llvm::enumerate(narrow))
    if (dimension == 1 && wide[added + i] != 1)
      repeated.push_back(i);
  value = sum(value, llvm::to_vector(llvm::seq<int64_t>(0, added)), /*keepDimensions=*/false);
  return retype(sum(value, repeated, /*keepDimensions=*/true), type);
}

Value GradientBuilder::transpose(Value value) {
  int64_t rank = shapeOf(value).size();
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return create<TransposeOp>(value, builder.getDenseI64ArrayAttr(permutation));
}

Value GradientBuilder::unsqueeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : create<UnsqueezeOp>(value, builder.getDenseI64ArrayAttr(axes));
}

Value GradientBuilder::squeeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : create<SqueezeOp>(value, builder.getDenseI64ArrayAttr(axes));
}
