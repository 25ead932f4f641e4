// How batch normalization and its gradient take their means over the samples of all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace tutti::onnx;

using MeanOverRanks = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

bool BatchNormInternalOp::isSynchronized() { return static_cast<bool>(getBatchMean()); }

SmallVector<OpResult> BatchNormInternalOp::getRunningStatistics() {
  return {cast<OpResult>(getRunningMean()), cast<OpResult>(getRunningVar())};
}

// The variance is taken around the mean of all ranks: two exchanges, but no cancellation of large
// squares.
LogicalResult BatchNormInternalOp::synchronizeStatistics(OpBuilder &builder,
                                                         MeanOverRanks meanOverRanks) {
  if (isSynchronized())
    return success();
  Value localMean = BatchMeanOp::create(builder, getLoc(), getX());
  Value mean = meanOverRanks(builder, getLoc(), localMean).front();
  Value localVariance = BatchVarianceOp::create(builder, getLoc(), getX(), mean);
  Value variance = meanOverRanks(builder, getLoc(), localVariance).front();
  getBatchMeanMutable().assign(mean);
  getBatchVarMutable().assign(variance);
  return success();
}

// The means enter the gradient of X only; that of a first layer, or after frozen ones, has no use.
bool BatchNormalizationGradOp::isSynchronized() { return getMeanDy() || getDX().use_empty(); }

bool BatchNormalizationGradOp::takesMeansOfGradients() { return true; }

SmallVector<OpResult> BatchNormalizationGradOp::getRunningStatistics() { return {}; }

LogicalResult BatchNormalizationGradOp::synchronizeStatistics(OpBuilder &builder,
                                                              MeanOverRanks meanOverRanks) {
  if (isSynchronized())
    return success();
  Value mean = BatchMeanOp::create(builder, getLoc(), getDY());
  Value covariance = BatchCovarianceOp::create(builder, getLoc(), getDY(), getX(), getSavedMean(),
                                               getSavedInvStd());
  SmallVector<Value> means = meanOverRanks(builder, getLoc(), {mean, covariance});
  getMeanDyMutable().assign(means[0]);
  getMeanDyXhatMutable().assign(means[1]);
  return success();
}
