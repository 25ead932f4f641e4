// What rules of sharding of elementwise operators have beside their line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

/// Quotients of integers are rounded.
bool DivOp::isLinear() { return isa<FloatType>(elementOf(getC())); }

/// Rounding to fewer digits, or to whole numbers, comes too early in a summand. A bool is no
/// number.
bool CastOp::isLinear() {
  Type from = elementOf(getInput()), to = elementOf(getOutput());
  if (from.isInteger(1) || to.isInteger(1))
    return false;
  bool isExact = isa<FloatType>(to) == isa<FloatType>(from) || isa<FloatType>(to);
  bool isWide = to.getIntOrFloatBitWidth() >= from.getIntOrFloatBitWidth();
  return isExact && (isWide || !isa<FloatType>(from));
}

FailureOr<ShardingRule> DropoutOp::getFactors() {
  FailureOr<ShardingRule> rule = shardingText().expand(*this);
  if (succeeded(rule))
    rule->constantResults = {1};
  return rule;
}
