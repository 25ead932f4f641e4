// Rules of sharding of operations that look at tensors of several shapes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::train;

/// One number of all elements of all operands: each dimension of each of them is a factor of
/// `kind`.
static ShardingRule reduceAll(Operation *op, FactorKind kind) {
  ShardingRule rule;
  for (Type type : op->getOperandTypes()) {
    TensorFactors &factors = rule.operands.emplace_back();
    for (int64_t size : cast<RankedTensorType>(type).getShape()) {
      factors.emplace_back();
      if (size != 1)
        factors.back().push_back(rule.add(kind, "a" + std::to_string(rule.factors.size()), size));
    }
  }
  rule.results.emplace_back();
  return rule;
}

FailureOr<ShardingRule> AllFiniteOp::getFactors() { return reduceAll(*this, FactorKind::Min); }
FailureOr<ShardingRule> GlobalNormOp::getFactors() { return reduceAll(*this, FactorKind::Whole); }
FailureOr<ShardingRule> SumOfSquaresOp::getFactors() { return reduceAll(*this, FactorKind::Sum); }
