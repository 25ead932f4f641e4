// Canonical forms of batch normalization and dropout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::onnx;

static BatchNormInternalOp createSaving(OpBuilder &builder, BatchNormalizationOp op) {
  return BatchNormInternalOp::create(builder, op.getLoc(), op.getX(), op.getScale(), op.getB(),
                                     op.getInputMean(), op.getInputVar(), /*batch_mean=*/Value(),
                                     /*batch_var=*/Value(), op.getEpsilonAttr(),
                                     op.getMomentumAttr());
}

BatchNormInternalOp tutti::onnx::saveStatistics(BatchNormalizationOp op) {
  OpBuilder builder(op);
  BatchNormInternalOp saving = createSaving(builder, op);
  op->replaceAllUsesWith(saving.getResults().take_front(3));
  return saving;
}

/// In training, the form whose statistics are saved for the gradient.
static LogicalResult trainingSavesStatistics(BatchNormalizationOp op, PatternRewriter &rewriter) {
  if (op.getTrainingMode() == 0)
    return failure();
  rewriter.replaceOp(op, createSaving(rewriter, op).getResults().take_front(3));
  return success();
}

/// In inference, the running statistics are the given ones.
static LogicalResult inferenceKeepsStatistics(BatchNormalizationOp op, PatternRewriter &rewriter) {
  if (op.getTrainingMode() != 0 ||
      (op.getRunningMean().use_empty() && op.getRunningVar().use_empty()))
    return failure();
  if (op.getRunningMean().getType() != op.getInputMean().getType() ||
      op.getRunningVar().getType() != op.getInputVar().getType())
    return failure();
  rewriter.replaceAllUsesWith(op.getRunningMean(), op.getInputMean());
  rewriter.replaceAllUsesWith(op.getRunningVar(), op.getInputVar());
  return success();
}

void BatchNormalizationOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                       MLIRContext *context) {
  patterns.add(trainingSavesStatistics);
  patterns.add(inferenceKeepsStatistics);
}

static bool isMeanOf(Value mean, Value x) {
  auto op = mean.getDefiningOp<BatchMeanOp>();
  return op && op.getX() == x;
}

/// Statistics that are X's own need not be given.
static LogicalResult dropOwnStatistics(BatchNormInternalOp op, PatternRewriter &rewriter) {
  if (!op.getBatchMean() || !isMeanOf(op.getBatchMean(), op.getX()))
    return failure();
  auto variance = op.getBatchVar().getDefiningOp<BatchVarianceOp>();
  if (!variance || variance.getX() != op.getX() || variance.getMean() != op.getBatchMean())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getBatchMeanMutable().clear();
    op.getBatchVarMutable().clear();
  });
  return success();
}

void BatchNormInternalOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                      MLIRContext *context) {
  patterns.add(dropOwnStatistics);
}

/// Whether the statistics are what the operation would compute itself.
static bool hasOwnStatistics(BatchNormalizationGradOp op) {
  auto covariance = op.getMeanDyXhat().getDefiningOp<BatchCovarianceOp>();
  return isMeanOf(op.getMeanDy(), op.getDY()) && covariance && covariance.getDY() == op.getDY() &&
         covariance.getX() == op.getX() && covariance.getMean() == op.getSavedMean() &&
         covariance.getInvStd() == op.getSavedInvStd();
}

/// Statistics enter the gradient of X only.
static LogicalResult dropNeedlessStatistics(BatchNormalizationGradOp op,
                                            PatternRewriter &rewriter) {
  if (!op.getMeanDy() || (!op.getDX().use_empty() && !hasOwnStatistics(op)))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getMeanDyMutable().clear();
    op.getMeanDyXhatMutable().clear();
  });
  return success();
}

void BatchNormalizationGradOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                           MLIRContext *context) {
  patterns.add(dropNeedlessStatistics);
}

bool tutti::onnx::keepsEverything(Value ratio, Value trainingMode) {
  DenseIntElementsAttr training;
  if (!trainingMode ||
      (matchPattern(trainingMode, m_Constant(&training)) && (*training.begin()).isZero()))
    return true;
  DenseFPElementsAttr constant;
  return ratio && matchPattern(ratio, m_Constant(&constant)) && (*constant.begin()).isZero();
}

/// A dropout that keeps everything is its operand; its mask can be written down only if its shape
/// is known.
static LogicalResult dropNothing(DropoutOp op, PatternRewriter &rewriter) {
  auto maskType = cast<RankedTensorType>(op.getMask().getType());
  if (!keepsEverything(op.getRatio(), op.getTrainingMode()) ||
      op.getData().getType() != op.getOutput().getType())
    return failure();
  if (op.getMask().use_empty()) {
    rewriter.replaceOp(op, {op.getData(), Value()});
    return success();
  }
  if (!maskType.hasStaticShape())
    return failure();
  Value mask = ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(maskType, true));
  rewriter.replaceOp(op, {op.getData(), mask});
  return success();
}

void DropoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(dropNothing);
}

static LogicalResult passGradientOn(DropoutGradOp op, PatternRewriter &rewriter) {
  if (!keepsEverything(op.getRatio(), op.getTrainingMode()) || op.getDY().getType() != op.getType())
    return failure();
  rewriter.replaceOp(op, op.getDY());
  return success();
}

void DropoutGradOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(passGradientOn);
}
