// Gradients of operators that only change a shape: they change it back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(IdentityOp) {
  g.give(0, g.into());
  return success();
}

/// The attribute that brings a gradient back to shape `to`: one `?` can be inferred, others only if
/// the operation kept that dimension where it is. None if there are too many. A dimension of 0
/// needs `allowzero`, which excludes copies.
static std::optional<Shape> shapeBack(ArrayRef<int64_t> to,
                                      llvm::function_ref<bool(size_t)> isKept) {
  bool canCopy = llvm::count_if(to, ShapedType::isDynamic) > 1 && !llvm::is_contained(to, 0);
  Shape shape(to);
  for (auto [i, entry] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(entry))
      entry = canCopy && isKept(i) ? 0 : -1;
  return llvm::count(shape, -1) <= 1 ? std::optional(shape) : std::nullopt;
}

/// Brings the gradient into the shape of `data`, several sizes of which vary. It looks rows up by
/// their places; a row holds the dimensions after the last one that varies.
static Value lookUpRows(Value data, GradientBuilder &g, Builder attributes) {
  ArrayRef<int64_t> shape = shapeOf(data);
  auto integers = [&](ArrayRef<int64_t> values) { return attributes.getDenseI64ArrayAttr(values); };
  auto number = [&](int64_t value) { return attributes.getI64IntegerAttr(value); };
  int64_t last = shape.size() - 1, width = 1;
  for (; !ShapedType::isDynamic(shape[last]); --last)
    width *= shape[last];
  Value rows = g.create<ReshapeOp>(g.into(), integers({-1, width}), number(0));
  Value places, stride = g.integer(1);
  for (int64_t axis = last; axis >= 0; --axis) {
    Value along = g.create<MulOp>(g.countAlong(data, axis), stride);
    along = g.unsqueeze(along, llvm::to_vector(llvm::seq<int64_t>(1, last - axis + 1)));
    places = places ? Value(g.create<AddOp>(along, places)) : along;
    stride = g.create<MulOp>(stride, g.sizeAlong(data, axis));
  }
  Shape split(last + 1, 0);
  llvm::append_range(split, shape.drop_front(last + 1));
  Value looked = g.create<GatherOp>(rows, places, number(0));
  return g.create<ReshapeOp>(looked, integers(split), number(0));
}

static LogicalResult reshapeBack(Operation *op, GradientBuilder &g,
                                 llvm::function_ref<bool(size_t)> isKept) {
  Value data = op->getOperand(0);
  std::optional<Shape> shape = shapeBack(shapeOf(data), isKept);
  Builder attributes(op->getContext());
  if (!shape && !llvm::is_contained(shapeOf(data), 0))
    return g.give(0, lookUpRows(data, g, attributes)), success();
  if (!shape)
    return op->emitOpError("cannot bring its gradient back to ")
           << data.getType() << ": more than one dimension is unknown, and one has no entries";
  bool allowZero = llvm::is_contained(shapeOf(data), 0);
  g.give(0, g.create<ReshapeOp>(g.into(), attributes.getDenseI64ArrayAttr(*shape),
                                attributes.getI64IntegerAttr(allowZero)));
  return success();
}

TUTTI_ONNX_GRADIENT(FlattenOp) {
  return reshapeBack(op, g, [&](size_t i) { return i == 0 && op.getAxis() == 1; });
}

TUTTI_ONNX_GRADIENT(ReshapeOp) {
  return reshapeBack(op, g, [&](size_t i) {
    return i < op.getShape().size() && op.getShape()[i] == 0 && op.getAllowzero() == 0;
  });
}

TUTTI_ONNX_GRADIENT(TransposeOp) {
  SmallVector<int64_t> permutation = op.getPermutation(), inverse(permutation.size());
  for (auto [i, dimension] : llvm::enumerate(permutation))
    inverse[dimension] = i;
  g.give(0,
         g.create<TransposeOp>(g.into(), Builder(op.getContext()).getDenseI64ArrayAttr(inverse)));
  return success();
}

TUTTI_ONNX_GRADIENT(SqueezeOp) {
  g.give(0, g.unsqueeze(g.into(), op.getDroppedAxes()));
  return success();
}

TUTTI_ONNX_GRADIENT(UnsqueezeOp) {
  g.give(0, g.squeeze(g.into(), op.getAxes()));
  return success();
}
