// Type inference of operators that pick or replace elements whose places are data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

/// Indices of elements along `axis` (gatherelements_c1, gatherelements_c2).
static LogicalResult checkElements(const Inference &infer, Value data, Value indices,
                                   int64_t axis) {
  if (failed(infer.requireRanked({data, indices})) || failed(infer.requireAxis(axis, data)))
    return failure();
  ArrayRef<int64_t> sizes = shapeOf(data), picked = shapeOf(indices);
  axis = countedFromZero(axis, data);
  bool fits = sizes.size() == picked.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = static_cast<int64_t>(i) == axis || ShapedType::isDynamic(sizes[i]) ||
           ShapedType::isDynamic(picked[i]) || picked[i] <= sizes[i];
  if (!fits)
    return infer.error("needs indices of the rank of data, and no larger but along dimension ",
                       axis, ", but they are ", indices.getType(), " and ", data.getType());
  return success();
}

TUTTI_ONNX_INFER(GatherElementsOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(checkElements(infer, adaptor.getData(), adaptor.getIndices(), adaptor.getAxis())))
    return failure();
  return infer.give(shapeOf(adaptor.getIndices()), elementOf(adaptor.getData()));
}

static LogicalResult checkReduction(const Inference &infer, StringRef reduction) {
  static constexpr StringLiteral known[] = {"none", "add", "mul", "max", "min"};
  if (!llvm::is_contained(known, reduction))
    return infer.error("has reduction = '", reduction, "', which is not one of none, add, mul, ",
                       "max, min");
  return success();
}

TUTTI_ONNX_INFER(ScatterElementsOp) {
  Inference infer(getOperationName(), location, types);
  Value data = adaptor.getData(), updates = adaptor.getUpdates();
  if (failed(checkElements(infer, data, adaptor.getIndices(), adaptor.getAxis())) ||
      failed(infer.requireOneElementType({data, updates})) || // scatterelements_c3
      failed(infer.requireShape(updates, "updates", shapeOf(adaptor.getIndices()))) ||
      failed(checkReduction(infer, adaptor.getReduction()))) // scatterelements_c4
    return failure();
  return infer.giveTypeOf(data);
}

/// The shape of what tuples of indices point at, or failure (gathernd_c1, gathernd_c2).
static FailureOr<Shape> pointedAt(const Inference &infer, Value data, Value indices,
                                  int64_t batch) {
  if (failed(infer.requireRanked({data, indices})))
    return failure();
  ArrayRef<int64_t> sizes = shapeOf(data), tuples = shapeOf(indices);
  int64_t rank = sizes.size(), count = tuples.empty() ? 0 : tuples.back();
  if (batch < 0 || batch >= rank || batch >= static_cast<int64_t>(tuples.size()) ||
      !mergeShapes(sizes.take_front(batch), tuples.take_front(batch)))
    return infer.error("has batch_dims = ", batch, ", in which ", data.getType(), " and ",
                       indices.getType(), " are not alike");
  if (ShapedType::isDynamic(count) || count > rank - batch)
    return infer.error("needs tuples of at most ", rank - batch, " indices into ", data.getType(),
                       ", but they are ", indices.getType());
  Shape shape(tuples.drop_back());
  llvm::append_range(shape, sizes.drop_front(batch + count));
  return shape;
}

TUTTI_ONNX_INFER(GatherNDOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<Shape> shape =
      pointedAt(infer, adaptor.getData(), adaptor.getIndices(), adaptor.getBatchDims());
  return failed(shape) ? failure() : infer.give(*shape, elementOf(adaptor.getData()));
}

TUTTI_ONNX_INFER(ScatterNDOp) {
  Inference infer(getOperationName(), location, types);
  Value data = adaptor.getData(), updates = adaptor.getUpdates();
  FailureOr<Shape> shape = pointedAt(infer, data, adaptor.getIndices(), adaptor.getBatchDims());
  if (failed(shape) || failed(infer.requireOneElementType({data, updates})) || // scatternd_c2
      failed(infer.requireShape(updates, "updates", *shape)) ||
      failed(checkReduction(infer, adaptor.getReduction()))) // scatternd_c3
    return failure();
  return infer.giveTypeOf(data);
}

TUTTI_ONNX_INFER(TopKOp) {
  Inference infer(getOperationName(), location, types);
  Value x = adaptor.getX();
  if (failed(infer.requireRanked(x)) || failed(infer.requireAxis(adaptor.getAxis(), x))) // topk_c1
    return failure();
  Shape shape(shapeOf(x));
  int64_t &size = shape[countedFromZero(adaptor.getAxis(), x)], k = adaptor.getK();
  if (k < -1 || (!ShapedType::isDynamic(size) && k > size)) // topk_c2
    return infer.error("takes ", k, " elements of a dimension of ", size, " in ", x.getType());
  size = k == -1 ? size : k;
  if (failed(infer.give(shape, elementOf(x))))
    return failure();
  return infer.give(shape, IntegerType::get(context, 64));
}
