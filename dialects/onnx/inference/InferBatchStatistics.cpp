// Type inference of batch normalization, its gradient and the statistics of a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

using NamedOperand = std::pair<StringRef, Value>;

/// Checks that `x` has channels and that the other operands (those that are there) are [channels].
/// Gives the channels.
static FailureOr<int64_t> checkChannels(const Inference &infer, Value x,
                                        ArrayRef<NamedOperand> vectors) {
  if (failed(infer.requireRank(x, "X", 2)))
    return failure();
  int64_t channels = shapeOf(x)[1];
  for (auto [name, vector] : vectors) {
    if (failed(infer.requireVector(vector, name, channels, elementOf(x))))
      return failure();
    if (vector)
      channels = *mergeDimensions(channels, shapeOf(vector)[0]);
  }
  return channels;
}

/// Gives the type of `x` and `count` vectors of its channels.
static LogicalResult giveNormalized(Inference &infer, Value x, int64_t channels, int count) {
  if (failed(infer.giveTypeOf(x)))
    return failure();
  for (int i = 0; i < count; ++i)
    if (failed(infer.give({channels}, elementOf(x))))
      return failure();
  return success();
}

TUTTI_ONNX_INFER(BatchNormalizationOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<int64_t> channels = checkChannels(infer, adaptor.getX(),
                                              {{"scale", adaptor.getScale()},
                                               {"B", adaptor.getB()},
                                               {"input_mean", adaptor.getInputMean()},
                                               {"input_var", adaptor.getInputVar()}});
  return failed(channels) ? failure() : giveNormalized(infer, adaptor.getX(), *channels, 2);
}

TUTTI_ONNX_INFER(BatchNormInternalOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<int64_t> channels = checkChannels(infer, adaptor.getX(),
                                              {{"scale", adaptor.getScale()},
                                               {"B", adaptor.getB()},
                                               {"input_mean", adaptor.getInputMean()},
                                               {"input_var", adaptor.getInputVar()},
                                               {"batch_mean", adaptor.getBatchMean()},
                                               {"batch_var", adaptor.getBatchVar()}});
  return failed(channels) ? failure() : giveNormalized(infer, adaptor.getX(), *channels, 4);
}

TUTTI_ONNX_INFER(BatchNormalizationGradOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireSameType(adaptor.getDY(), "dY", adaptor.getX(), "X")))
    return failure();
  FailureOr<int64_t> channels = checkChannels(infer, adaptor.getX(),
                                              {{"scale", adaptor.getScale()},
                                               {"saved_mean", adaptor.getSavedMean()},
                                               {"saved_inv_std", adaptor.getSavedInvStd()},
                                               {"mean_dy", adaptor.getMeanDy()},
                                               {"mean_dy_xhat", adaptor.getMeanDyXhat()}});
  return failed(channels) ? failure() : giveNormalized(infer, adaptor.getX(), *channels, 2);
}

static LogicalResult inferStatistic(Inference infer, Value x, ArrayRef<NamedOperand> vectors) {
  FailureOr<int64_t> channels = checkChannels(infer, x, vectors);
  return failed(channels) ? failure() : infer.give({*channels}, elementOf(x));
}

TUTTI_ONNX_INFER(BatchMeanOp) {
  return inferStatistic({getOperationName(), location, types}, adaptor.getX(), {});
}

TUTTI_ONNX_INFER(BatchVarianceOp) {
  return inferStatistic({getOperationName(), location, types}, adaptor.getX(),
                        {{"mean", adaptor.getMean()}});
}

TUTTI_ONNX_INFER(BatchCovarianceOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireSameType(adaptor.getDY(), "dY", adaptor.getX(), "X")))
    return failure();
  return inferStatistic(infer, adaptor.getX(),
                        {{"mean", adaptor.getMean()}, {"inv_std", adaptor.getInvStd()}});
}
