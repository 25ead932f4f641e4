// Type inference of operators that take parts of tensors or put tensors together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

int64_t GatherOp::getGatheredAxis() { return countedFromZero(getAxis(), getData()); }

TUTTI_ONNX_INFER(GatherOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked({adaptor.getData(), adaptor.getIndices()})) ||
      failed(infer.requireAxis(adaptor.getAxis(), adaptor.getData()))) // gather_c1
    return failure();
  int64_t axis = countedFromZero(adaptor.getAxis(), adaptor.getData());
  ArrayRef<int64_t> data = shapeOf(adaptor.getData());
  Shape shape(data.take_front(axis));
  llvm::append_range(shape, shapeOf(adaptor.getIndices()));
  llvm::append_range(shape, data.drop_front(axis + 1));
  return infer.give(shape, elementOf(adaptor.getData()));
}

/// The dimension along which tensors of sizes `a` and `b` are joined.
static int64_t addDimensions(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ? ShapedType::kDynamic : a + b;
}

/// The shape of `first` and `second` joined along `axis`, or none.
static std::optional<Shape> joinShapes(ArrayRef<int64_t> first, ArrayRef<int64_t> second,
                                       int64_t axis) {
  if (first.size() != second.size())
    return std::nullopt;
  Shape aligned(second);
  aligned[axis] = first[axis];
  std::optional<Shape> joined = mergeShapes(first, aligned);
  if (joined)
    (*joined)[axis] = addDimensions(first[axis], second[axis]);
  return joined;
}

TUTTI_ONNX_INFER(ConcatOp) {
  Inference infer(getOperationName(), location, types);
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty())
    return infer.error("needs at least one operand");
  if (failed(infer.requireRanked(inputs)) || failed(infer.requireOneElementType(inputs)) ||
      failed(infer.requireAxis(adaptor.getAxis(), inputs.front()))) // concat_c1
    return failure();
  int64_t axis = countedFromZero(adaptor.getAxis(), inputs.front());
  Shape shape(shapeOf(inputs.front()));
  for (Value input : inputs.drop_front()) {
    std::optional<Shape> joined = joinShapes(shape, shapeOf(input), axis);
    if (!joined) // concat_c2
      return infer.error("cannot join ", inputs.front().getType(), " and ", input.getType(),
                         " along dimension ", axis);
    shape = *joined;
  }
  return infer.give(shape, elementOf(inputs.front()));
}

TUTTI_ONNX_INFER(SplitOp) {
  Inference infer(getOperationName(), location, types);
  Value input = adaptor.getInput();
  if (failed(infer.requireRanked(input)) ||
      failed(infer.requireAxis(adaptor.getAxis(), input))) // split_c1
    return failure();
  int64_t axis = countedFromZero(adaptor.getAxis(), input), total = 0;
  bool isNegative = llvm::any_of(adaptor.getSplit(), [](int64_t size) { return size < 0; });
  for (int64_t size : adaptor.getSplit())
    total += size;
  if (isNegative || !mergeDimensions(shapeOf(input)[axis], total)) // split_c2
    return infer.error("cannot cut dimension ", axis, " of ", input.getType(), " into parts of ",
                       toString(adaptor.getSplit()));
  for (int64_t size : adaptor.getSplit()) {
    Shape shape(shapeOf(input));
    shape[axis] = size;
    if (failed(infer.give(shape, elementOf(input))))
      return failure();
  }
  return success();
}

/// One tensor alone is what it is.
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  bool isAlone = getInputs().size() == 1 && getInputs().front().getType() == getType();
  return isAlone ? OpFoldResult(getInputs().front()) : OpFoldResult();
}
