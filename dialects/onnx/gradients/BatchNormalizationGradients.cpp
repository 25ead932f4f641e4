// Gradients of batch normalization, in training and in inference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

/// Only Y has a gradient; statistics are by-products.
static LogicalResult checkOnlyY(Operation *op, const GradientBuilder &g) {
  for (unsigned result = 1; result < op->getNumResults(); ++result)
    if (g.into(result))
      return op->emitOpError("has no gradient for its statistics; only Y may be differentiated");
  return success();
}

/// Operands from `first` on are statistics that Y is made of. Running ones are none in training: a
/// layer that is used twice in a step gets those of its first use, and they have no gradient.
static LogicalResult checkGivenStatistics(Operation *op, const GradientBuilder &g, unsigned first) {
  for (unsigned operand = first; operand < op->getNumOperands(); ++operand)
    if (g.wants(operand))
      return op->emitOpError("has no gradient with respect to statistics that it is given");
  return success();
}

TUTTI_ONNX_GRADIENT(BatchNormInternalOp) {
  if (failed(checkOnlyY(op, g)) || failed(checkGivenStatistics(op, g, /*first=*/5)))
    return failure();
  auto gradient =
      g.create<BatchNormalizationGradOp>(g.into(), op.getX(), op.getScale(), op.getSavedMean(),
                                         op.getSavedInvStd(), /*mean_dy=*/Value(),
                                         /*mean_dy_xhat=*/Value());
  for (unsigned operand : {0, 1, 2})
    if (g.wants(operand))
      g.give(operand, gradient.getResult(operand));
  return success();
}

/// With given statistics, Y = X * scale * inv_std + ... is linear in X.
static LogicalResult differentiateInference(BatchNormalizationOp op, GradientBuilder &g) {
  if (failed(checkGivenStatistics(op, g, /*first=*/3)))
    return failure();
  int64_t rank = shapeOf(op.getX()).size();
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  SmallVector<int64_t> samples = {0};
  llvm::append_range(samples, llvm::seq<int64_t>(2, rank));
  auto spread = [&](Value vector) { return g.unsqueeze(vector, spatial); };
  Value epsilon = g.scalar(op.getEpsilon().convertToDouble(), op.getInputVar());
  Value deviation = g.create<SqrtOp>(g.add(op.getInputVar(), epsilon));
  if (g.wants(0))
    g.give(0, g.mul(g.into(), spread(g.div(op.getScale(), deviation))));
  if (g.wants(1)) {
    Value centered = g.sub(op.getX(), spread(op.getInputMean()));
    g.give(1,
           g.div(g.sum(g.mul(g.into(), centered), samples, /*keepDimensions=*/false), deviation));
  }
  if (g.wants(2))
    g.give(2, g.sum(g.into(), samples, /*keepDimensions=*/false));
  return success();
}

// In training the gradient needs the statistics of the batch, so the operation becomes the one that
// saves them.
LogicalResult BatchNormalizationOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                  const llvm::SmallBitVector &wanted,
                                                  SmallVectorImpl<Value> &operandGradients) {
  GradientBuilder g(*this, builder, resultGradients, wanted, operandGradients);
  if (failed(checkOnlyY(*this, g)))
    return failure();
  if (getTrainingMode() == 0)
    return differentiateInference(*this, g);
  SmallVector<Value> gradients = llvm::to_vector(resultGradients);
  gradients.resize(5);
  return saveStatistics(*this).buildGradient(builder, gradients, wanted, operandGradients);
}
