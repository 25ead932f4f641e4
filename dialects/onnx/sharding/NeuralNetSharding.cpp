// Rules of sharding of layers: windows that slide, and normalization of a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

namespace {

/// Whether the window is one element, at every element: each result has one place.
bool isPoint(const Window &window, size_t dimension) {
  return window.kernel[dimension] == 1 && window.strides[dimension] == 1 &&
         window.padsBegin[dimension] == 0 && window.padsEnd[dimension] == 0;
}

/// The factors of the spatial dimensions of data are of this kind where the window is a point.
/// Where it covers all there is, nothing can be split.
void markSpatial(ShardingRule &rule, const TensorFactors &data, const TensorFactors &slid,
                 const Window &window, FactorKind ofPoints) {
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    bool isCovered = data[i + 2].empty() || slid[i + 2].empty();
    for (const TensorFactors *tensor : {&data, &slid})
      for (unsigned factor : (*tensor)[i + 2])
        rule.factors[factor].kind = isPoint(window, i) ? ofPoints
                                    : isCovered        ? FactorKind::Whole
                                                       : FactorKind::Near;
  }
}

/// `once`, `grouped`, `separate`: the line without groups, with groups, and where each channel of X
/// is a group. Sizes of factors follow from the weights.
template <typename Op>
FailureOr<ShardingRule> expandGroups(Op op, const ShardingText &once, const ShardingText &grouped) {
  int64_t groups = op.getGroup();
  if (groups == 1)
    return once.expand(op);
  FailureOr<ShardingRule> rule = grouped.expand(op);
  if (failed(rule))
    return rule;
  ArrayRef<int64_t> weights = shapeOf(op.getW());
  for (Factor &factor : rule->factors) {
    if (factor.name == "g")
      factor.size = groups;
    if (factor.name == "o" && !ShapedType::isDynamic(weights[0]))
      factor.size = weights[0] / groups;
  }
  return rule;
}

/// A dimension (g c) in which each group has one channel is g.
void dropFactorsOfOne(ShardingRule &rule) {
  for (auto tensors : {&rule.operands, &rule.results})
    for (TensorFactors &tensor : *tensors)
      for (auto &dimension : tensor)
        llvm::erase_if(dimension, [&](unsigned factor) { return rule.factors[factor].size == 1; });
}

} // namespace

FailureOr<ShardingRule> ConvOp::getFactors() {
  static const ShardingText grouped("n (g c+) s~.., (g o) c t^.., (g o) -> n (g o) s..");
  FailureOr<ShardingRule> rule = expandGroups(*this, shardingText(), grouped);
  if (failed(rule))
    return rule;
  dropFactorsOfOne(*rule);
  markSpatial(*rule, rule->operands[0], rule->results[0], getWindow(), FactorKind::Pass);
  return rule;
}

FailureOr<ShardingRule> ConvGradOp::getFactors() {
  static const ShardingText grouped(
      "n+ (g o+) s~.., n (g c) s.., (g o) c t^.. -> n (g c) s.., (g o) c t.., (g o)");
  FailureOr<ShardingRule> rule = expandGroups(*this, shardingText(), grouped);
  if (failed(rule))
    return rule;
  dropFactorsOfOne(*rule);
  markSpatial(*rule, rule->operands[1], rule->operands[0], getWindow(), FactorKind::Sum);
  return rule;
}

namespace {

template <typename Op> FailureOr<ShardingRule> poolRule(Op op, unsigned data) {
  FailureOr<ShardingRule> rule = Op::shardingText().expand(op);
  if (succeeded(rule))
    markSpatial(*rule, rule->operands[data], data == 0 ? rule->results[0] : rule->operands[0],
                op.getWindow(), FactorKind::Pass);
  return rule;
}

} // namespace

FailureOr<ShardingRule> MaxPoolOp::getFactors() { return poolRule(*this, 0); }
FailureOr<ShardingRule> AveragePoolOp::getFactors() { return poolRule(*this, 0); }
FailureOr<ShardingRule> MaxPoolGradOp::getFactors() { return poolRule(*this, 1); }
FailureOr<ShardingRule> AveragePoolGradOp::getFactors() { return poolRule(*this, 1); }

FailureOr<ShardingRule> BatchNormalizationOp::getFactors() {
  static const ShardingText ofBatch("n^ c s^.., c, c, c, c -> n c s.., c, c");
  return (getTrainingMode() ? ofBatch : shardingText()).expand(*this);
}

FailureOr<ShardingRule> BatchNormInternalOp::getFactors() {
  static const ShardingText given("n c s.., c, c, c, c, c, c -> n c s.., c, c, c, c");
  return (getBatchMean() ? given : shardingText()).expand(*this);
}

FailureOr<ShardingRule> BatchNormalizationGradOp::getFactors() {
  static const ShardingText given("n+ c s+.., n c s.., c, c, c, c, c -> n c s.., c, c");
  return (getMeanDy() ? given : shardingText()).expand(*this);
}
