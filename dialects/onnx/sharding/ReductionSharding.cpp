// Rules of sharding of reductions, of what is normalized along a dimension, and of losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/sharding/AlongAxes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

TensorFactors tutti::onnx::addFactors(ShardingRule &rule, ArrayRef<int64_t> shape) {
  TensorFactors factors(shape.size());
  for (auto [index, size] : llvm::enumerate(shape))
    if (size != 1)
      factors[index].push_back(rule.add(FactorKind::Pass, "a" + std::to_string(index), size));
  return factors;
}

TensorFactors tutti::onnx::withoutOnes(const TensorFactors &factors, ArrayRef<int64_t> shape) {
  TensorFactors kept(factors);
  for (auto [dimension, size] : llvm::zip_equal(kept, shape))
    if (size == 1)
      dimension.clear();
  return kept;
}

namespace {

/// The factors of a tensor and of it reduced over some dimensions.
struct Reduction {
  ShardingRule rule;
  TensorFactors whole, reduced;

  Reduction(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool keepsDimensions, Factor kind) {
    whole = addFactors(rule, shape);
    for (auto [index, dimension] : llvm::enumerate(whole)) {
      if (!llvm::is_contained(axes, static_cast<int64_t>(index)))
        reduced.push_back(dimension);
      else if (keepsDimensions)
        reduced.emplace_back();
      if (llvm::is_contained(axes, static_cast<int64_t>(index)) && !dimension.empty())
        reduce(rule.factors[dimension.front()], kind, index);
    }
  }

private:
  static void reduce(Factor &factor, const Factor &kind, size_t index) {
    factor.kind = kind.kind;
    factor.divides = kind.divides;
    factor.name = "k" + std::to_string(index);
  }
};

template <typename Op> FailureOr<ShardingRule> reductionRule(Op op, Factor kind) {
  Reduction reduction(shapeOf(op.getData()), op.getReducedAxes(), op.getKeepdims() != 0, kind);
  reduction.rule.operands = {reduction.whole};
  reduction.rule.results = {reduction.reduced};
  return std::move(reduction.rule);
}

template <typename Op> FailureOr<ShardingRule> spreadRule(Op op, Factor kind) {
  Reduction reduction(shapeOf(op.getX()), op.getReducedAxes(), op.getKeepdims() != 0, kind);
  reduction.rule.operands = {reduction.reduced, reduction.whole};
  reduction.rule.results = {reduction.whole};
  return std::move(reduction.rule);
}

template <typename Op> FailureOr<ShardingRule> chooseIndex(Op op) {
  static const ShardingText drops("p.. k^ q.. -> p.. q.."), keeps("p.. k^ q.. -> p.. 1 q..");
  return expandAlong(op, op.getKeepdims() ? keeps : drops, op.getAxis(), op.getData());
}

/// Whether a mean divides by a number that is counted, not by that of all labels.
template <typename Op> bool dividesByCount(Op op) {
  return op.getReduction() == "mean" && (op.getWeights() || op.getIgnoreIndex());
}

} // namespace

FailureOr<ShardingRule> ReduceSumOp::getFactors() {
  return reductionRule(*this, {FactorKind::Sum, /*divides=*/false, ""});
}
FailureOr<ShardingRule> ReduceMeanOp::getFactors() {
  return reductionRule(*this, {FactorKind::Sum, /*divides=*/true, ""});
}
FailureOr<ShardingRule> ReduceMaxOp::getFactors() {
  return reductionRule(*this, {FactorKind::Max, /*divides=*/false, ""});
}
FailureOr<ShardingRule> ReduceMinOp::getFactors() {
  return reductionRule(*this, {FactorKind::Min, /*divides=*/false, ""});
}
FailureOr<ShardingRule> ReduceProdOp::getFactors() {
  return reductionRule(*this, {FactorKind::Prod, /*divides=*/false, ""});
}
FailureOr<ShardingRule> ReduceSumGradOp::getFactors() {
  return spreadRule(*this, {FactorKind::Pass, /*divides=*/false, ""});
}
FailureOr<ShardingRule> ReduceMeanGradOp::getFactors() {
  return spreadRule(*this, {FactorKind::Pass, /*divides=*/true, ""});
}

FailureOr<ShardingRule> ArgMaxOp::getFactors() { return chooseIndex(*this); }
FailureOr<ShardingRule> ArgMinOp::getFactors() { return chooseIndex(*this); }
FailureOr<ShardingRule> CumSumOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getX());
}

FailureOr<ShardingRule> SoftmaxOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getInput());
}
FailureOr<ShardingRule> LogSoftmaxOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getInput());
}
FailureOr<ShardingRule> SoftmaxGradOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getY());
}
FailureOr<ShardingRule> LogSoftmaxGradOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getY());
}

FailureOr<ShardingRule> SoftmaxCrossEntropyLossOp::getFactors() {
  static const ShardingText none("n c^ d.., n d.., c -> n d.., n c d.."),
      sum("n+ c^ d+.., n d.., c -> (), n c d.."), counted("n^ c^ d^.., n d.., c -> (), n c d..");
  if (getReduction() == "none")
    return none.expand(*this);
  if (getReduction() == "sum")
    return sum.expand(*this);
  return (dividesByCount(*this) ? counted : shardingText()).expand(*this);
}

FailureOr<ShardingRule> SoftmaxCrossEntropyLossGradOp::getFactors() {
  static const ShardingText none("n d.., n c^ d.., n d.., c -> n c d.."),
      sum("(), n c^ d.., n d.., c -> n c d.."), counted("(), n^ c^ d^.., n d.., c -> n c d..");
  if (getReduction() == "none")
    return none.expand(*this);
  if (getReduction() == "sum")
    return sum.expand(*this);
  return (dividesByCount(*this) ? counted : shardingText()).expand(*this);
}
