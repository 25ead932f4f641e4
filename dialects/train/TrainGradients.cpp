// Verifiers of the operations between the gradients of a step and its update.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include <limits>

using namespace mlir;
using namespace tutti::train;

// all_finite_c1, global_norm_c1, sum_of_squares_c1
static LogicalResult verifyNotEmpty(Operation *op) {
  if (op->getNumOperands() != 0)
    return success();
  return op->emitOpError("needs at least one tensor");
}

LogicalResult AllFiniteOp::verify() { return verifyNotEmpty(*this); }
LogicalResult GlobalNormOp::verify() { return verifyNotEmpty(*this); }
LogicalResult SumOfSquaresOp::verify() { return verifyNotEmpty(*this); }

LogicalResult ClipOp::verify() {
  // clip_c1
  APFloat limit = getMaxNorm();
  if (limit.isFinite() && !limit.isZero() && !limit.isNegative())
    return success();
  return emitOpError("max_norm must be a positive, finite number, got ") << getMaxNormAttr();
}

LogicalResult UpdateLossScaleOp::verify() {
  // update_loss_scale_c1
  APFloat one(1.0f);
  if (!getGrowthFactor().isFinite() || getGrowthFactor() < one)
    return emitOpError("growth_factor must be at least 1 and finite, got ")
           << getGrowthFactorAttr();
  // update_loss_scale_c2
  APFloat backoff = getBackoffFactor();
  if (!(backoff < one) || backoff.isZero() || backoff.isNegative())
    return emitOpError("backoff_factor must be above 0 and below 1, got ")
           << getBackoffFactorAttr();
  // update_loss_scale_c3
  if (getGrowthInterval() > std::numeric_limits<int64_t>::max() || getGrowthInterval() == 0)
    return emitOpError("growth_interval must be positive, got ") << getGrowthIntervalAttr();
  return success();
}
