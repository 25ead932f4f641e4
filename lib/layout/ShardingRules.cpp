// Who answers for an operation, and what follows from its traits alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ShardingRules.h"

#include "dialects/interfaces/Pointwise.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tutti;

/// Whether a number that is converted keeps all its digits, or only loses what sums of floats lose.
static bool keepsSums(Operation *op) {
  return isa<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op);
}

void tutti::addLinearArithmetic(Operation *op, ShardingRule &rule) {
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op))
    rule.addLinear({0, 1});
  else if (isa<arith::MulFOp, arith::MulIOp>(op))
    rule.linear = {{0}, {1}};
  else if (isa<arith::DivFOp, arith::NegFOp>(op) || keepsSums(op))
    rule.addLinear({0});
  else if (isa<arith::SelectOp>(op))
    rule.addLinear({1, 2});
}

FailureOr<ShardingRule> tutti::findShardingRule(Operation *op) {
  if (auto known = dyn_cast<ShardingRuleOpInterface>(op))
    return known.getShardingRule();
  if (!stablehlo::getKind(op).empty())
    return stablehlo::findShardingRule(op);
  if (isPointwise(op) || op->hasTrait<OpTrait::ConstantLike>()) {
    FailureOr<ShardingRule> rule = pointwiseShardingRule(op);
    if (succeeded(rule))
      addLinearArithmetic(op, *rule);
    return rule;
  }
  FailureOr<ShardingRule> rule = findTensorRule(op);
  return succeeded(rule) ? std::move(rule) : findLoopRule(op);
}
