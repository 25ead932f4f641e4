// Type inference of reductions and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

/// The axes of a reduction of `data` (reducesum_c1).
template <typename OpOrAdaptor>
static FailureOr<SmallVector<int64_t>> checkAxes(const Inference &infer, OpOrAdaptor op,
                                                 Value data) {
  if (failed(infer.requireRanked(data)))
    return failure();
  auto axes = reducedAxes(op.getAxes(), op.getNoopWithEmptyAxes() != 0, shapeOf(data).size());
  if (!axes)
    return infer.error("has axes ", toString(*op.getAxes()),
                       ", which are not distinct dimensions of ", data.getType());
  return *axes;
}

template <typename Adaptor> static LogicalResult inferReduction(Inference infer, Adaptor adaptor) {
  Value data = adaptor.getData();
  FailureOr<SmallVector<int64_t>> axes = checkAxes(infer, adaptor, data);
  if (failed(axes))
    return failure();
  return infer.give(reduceShape(shapeOf(data), *axes, adaptor.getKeepdims() != 0), elementOf(data));
}

TUTTI_ONNX_INFER(ReduceSumOp) {
  return inferReduction({getOperationName(), location, types}, adaptor);
}
TUTTI_ONNX_INFER(ReduceMeanOp) {
  return inferReduction({getOperationName(), location, types}, adaptor);
}

TUTTI_ONNX_INFER(ReduceMaxOp) {
  return inferReduction({getOperationName(), location, types}, adaptor);
}
TUTTI_ONNX_INFER(ReduceMinOp) {
  return inferReduction({getOperationName(), location, types}, adaptor);
}
TUTTI_ONNX_INFER(ReduceProdOp) {
  return inferReduction({getOperationName(), location, types}, adaptor);
}

/// The index of an extreme (argmax_c1).
template <typename Adaptor> static LogicalResult inferArg(Inference infer, Adaptor adaptor) {
  Value data = adaptor.getData();
  if (failed(infer.requireAxis(adaptor.getAxis(), data)))
    return failure();
  SmallVector<int64_t> axes = {countedFromZero(adaptor.getAxis(), data)};
  return infer.give(reduceShape(shapeOf(data), axes, adaptor.getKeepdims() != 0),
                    IntegerType::get(data.getContext(), 64));
}

TUTTI_ONNX_INFER(ArgMaxOp) { return inferArg({getOperationName(), location, types}, adaptor); }
TUTTI_ONNX_INFER(ArgMinOp) { return inferArg({getOperationName(), location, types}, adaptor); }

TUTTI_ONNX_INFER(CumSumOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireAxis(adaptor.getAxis(), adaptor.getX()))) // cumsum_c1
    return failure();
  return infer.giveTypeOf(adaptor.getX());
}

template <typename Adaptor>
static LogicalResult inferReductionGradient(Inference infer, Adaptor adaptor) {
  Value x = adaptor.getX();
  FailureOr<SmallVector<int64_t>> axes = checkAxes(infer, adaptor, x);
  if (failed(axes) || failed(infer.requireOneElementType({x, adaptor.getDY()})) ||
      failed(infer.requireShape(
          adaptor.getDY(), "dY",
          reduceShape(shapeOf(x), *axes, adaptor.getKeepdims() != 0)))) // reducesumgrad_c2
    return failure();
  return infer.giveTypeOf(x);
}

TUTTI_ONNX_INFER(ReduceSumGradOp) {
  return inferReductionGradient({getOperationName(), location, types}, adaptor);
}
TUTTI_ONNX_INFER(ReduceMeanGradOp) {
  return inferReductionGradient({getOperationName(), location, types}, adaptor);
}

template <typename ReduceOp> static SmallVector<int64_t> verifiedAxes(ReduceOp op, Value data) {
  return *reducedAxes(op.getAxes(), op.getNoopWithEmptyAxes() != 0, shapeOf(data).size());
}

SmallVector<int64_t> ReduceSumOp::getReducedAxes() { return verifiedAxes(*this, getData()); }
SmallVector<int64_t> ReduceMeanOp::getReducedAxes() { return verifiedAxes(*this, getData()); }
SmallVector<int64_t> ReduceMaxOp::getReducedAxes() { return verifiedAxes(*this, getData()); }
SmallVector<int64_t> ReduceMinOp::getReducedAxes() { return verifiedAxes(*this, getData()); }
SmallVector<int64_t> ReduceProdOp::getReducedAxes() { return verifiedAxes(*this, getData()); }
SmallVector<int64_t> ReduceSumGradOp::getReducedAxes() { return verifiedAxes(*this, getX()); }
SmallVector<int64_t> ReduceMeanGradOp::getReducedAxes() { return verifiedAxes(*this, getX()); }
