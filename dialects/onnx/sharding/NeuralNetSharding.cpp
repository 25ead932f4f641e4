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

/// The line of a convolution with groups. Channels of X are (g c), those of the result (g o); what
/// is 1 of them has no factor. Sizes follow from the weights.
template <typename Op> FailureOr<ShardingRule> expandGroups(Op op, const char *line) {
  int64_t groups = op.getGroup(), outputs = shapeOf(op.getW())[0], inputs = shapeOf(op.getW())[1];
  std::string text = line;
  auto spell = [&](StringRef mark, const char *channels) {
    for (size_t at = 0; (at = text.find(mark.str(), at)) != std::string::npos;)
      text.replace(at, mark.size(), channels);
  };
  spell("IN", inputs == 1 ? "g" : "(g c)");
  spell("OUT", outputs == groups ? "g" : "(g o)");
  FailureOr<ShardingRule> rule =
      parseShardingRule(text, op->getOperandTypes(), op->getResultTypes());
  if (failed(rule))
    return rule;
  for (Factor &factor : rule->factors) {
    if (factor.name == "g")
      factor.size = groups;
    if (factor.name == "c")
      factor.size = inputs;
    if (factor.name == "o" && !ShapedType::isDynamic(outputs))
      factor.size = outputs / groups;
  }
  return rule;
}

} // namespace

FailureOr<ShardingRule> ConvOp::getFactors() {
  const char *line =
      getB() ? "n IN s~.., OUT c+ t^.., OUT -> n OUT s.." : "n IN s~.., OUT c+ t^.. -> n OUT s..";
  FailureOr<ShardingRule> rule =
      getGroup() == 1 ? shardingText().expand(*this) : expandGroups(*this, line);
  if (succeeded(rule))
    markSpatial(*rule, rule->operands[0], rule->results[0], getWindow(), FactorKind::Pass);
  return rule;
}

FailureOr<ShardingRule> ConvGradOp::getFactors() {
  // Of groups with one output each nothing is summed but g itself, which is cut.
  const char *line = shapeOf(getW())[0] == static_cast<int64_t>(getGroup())
                         ? "n+ OUT s~.., n IN s.., OUT c t^.. -> n IN s.., OUT c t.., OUT"
                         : "n+ (g o+) s~.., n IN s.., OUT c t^.. -> n IN s.., OUT c t.., OUT";
  FailureOr<ShardingRule> rule =
      getGroup() == 1 ? shardingText().expand(*this) : expandGroups(*this, line);
  if (succeeded(rule))
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
