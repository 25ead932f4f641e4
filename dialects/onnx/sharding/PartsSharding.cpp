// Rules of sharding of operators that take parts of tensors, or put tensors together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/sharding/AlongAxes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

namespace {

/// The size of dimension `axis` of all of `parts`, where it is one, known, and not 1.
std::optional<int64_t> findCommonSize(ValueRange parts, int64_t axis) {
  int64_t size = shapeOf(parts.front())[axis];
  bool isCommon =
      size > 1 && llvm::all_of(parts, [&](Value part) { return shapeOf(part)[axis] == size; });
  return isCommon ? std::optional(size) : std::nullopt;
}

/// The operands, or results, of one dimension are not cut where there is but one of them. Equal
/// ones can be: a part of the whole has a part of each of them.
template <typename Op>
FailureOr<ShardingRule> joinAlong(Op op, int64_t axis, Value whole, ValueRange parts) {
  static const ShardingText pass("p.. k q.. -> p.. k q..");
  if (parts.size() == 1)
    return expandAlong(op, pass, axis, whole);
  FailureOr<ShardingRule> rule = expandAlong(op, Op::shardingText(), axis, whole);
  unsigned dimension = countedFromZero(axis, whole);
  std::optional<int64_t> size = findCommonSize(parts, dimension);
  if (failed(rule) || !size)
    return rule;
  unsigned all = rule->add(FactorKind::Whole, "o", parts.size());
  bool joins = op->getNumOperands() == parts.size();
  TensorFactors &tensor = joins ? rule->results.front() : rule->operands.front();
  unsigned one = tensor[dimension].front();
  rule->factors[one].kind = FactorKind::Pass;
  rule->factors[one].size = *size;
  tensor[dimension] = {all, one};
  return rule;
}

/// Whether a slice takes all of a dimension in order: without an end that could cut it.
bool takesAll(int64_t start, int64_t end, int64_t step, int64_t size) {
  bool isOpen = end >= std::numeric_limits<int32_t>::max();
  bool isToEnd = isOpen || (!ShapedType::isDynamic(size) && end >= size);
  bool isFromStart = start == 0 || (!ShapedType::isDynamic(size) && start <= -size);
  return step == 1 && isFromStart && isToEnd;
}

/// Marks what a slice of `shape` cuts: a part of it takes entries of other parts. One entry alone
/// is in one part.
template <typename Op>
void markCuts(Op op, ArrayRef<int64_t> shape, ArrayRef<int64_t> taken, const TensorFactors &factors,
              ShardingRule &rule) {
  for (auto [index, start] : llvm::enumerate(op.getStarts())) {
    int64_t axis = op.getAxes() ? (*op.getAxes())[index] : index;
    axis += axis < 0 ? shape.size() : 0;
    int64_t step = op.getSteps() ? (*op.getSteps())[index] : 1;
    if (factors[axis].empty() || takesAll(start, op.getEnds()[index], step, shape[axis]))
      continue;
    rule.factors[factors[axis].front()].kind =
        taken[axis] == 1 ? FactorKind::Whole : FactorKind::Near;
  }
}

/// The dimensions of the result whose size is that of `like`.
SmallVector<size_t> dimensionsOfLike(ExpandOp op) {
  ArrayRef<int64_t> shape = op.getShape(), from = shapeOf(op.getInput());
  size_t rank = shapeOf(op.getOutput()).size();
  SmallVector<size_t> dimensions;
  for (auto [index, entry] : llvm::enumerate(shape)) {
    size_t dimension = index + rank - shape.size();
    bool isNew = dimension + from.size() < rank;
    if (entry == -1 && (isNew || from[dimension + from.size() - rank] == 1))
      dimensions.push_back(dimension);
  }
  return dimensions;
}

/// A part of `like` says the size of a part of one dimension, and of no part of two.
TensorFactors factorsOfLike(ExpandOp op, const TensorFactors &output, ShardingRule &rule) {
  SmallVector<size_t> shared = dimensionsOfLike(op);
  if (shared.size() > 1)
    for (size_t dimension : shared)
      for (unsigned factor : output[dimension])
        rule.factors[factor].kind = FactorKind::Whole;
  TensorFactors factors;
  for (auto [index, size] : llvm::enumerate(shapeOf(op.getLike()))) {
    factors.emplace_back();
    if (!shared.empty() &&
        static_cast<int64_t>(index) == countedFromZero(op.getAxis(), op.getLike()))
      factors.back() = output[shared.front()];
    else if (size != 1)
      factors.back().push_back(rule.add(FactorKind::Pass, "b" + std::to_string(index), size));
  }
  return factors;
}

/// Of a dimension in which there are fewer indices than entries, some entries are not looked at: a
/// part of the indices does not belong to a part of the data.
void keepShortenedWhole(ShardingRule &rule, int64_t axis, Value data, Value indices) {
  for (auto [index, size] : llvm::enumerate(shapeOf(data)))
    if (static_cast<int64_t>(index) != axis && size != shapeOf(indices)[index])
      for (unsigned factor : rule.operands.front()[index])
        rule.factors[factor].kind = FactorKind::Whole;
}

/// `b..` is the batch dimensions, `t..` what a tuple indexes, `q..` what it points at.
template <typename Op> FailureOr<ShardingRule> expandTuples(Op op, const ShardingText &text) {
  unsigned batch = op.getBatchDims(), tuple = shapeOf(op.getIndices()).back();
  unsigned rest = shapeOf(op.getData()).size() - batch - tuple;
  return text.expand(op, {{"b", batch}, {"t", tuple}, {"q", rest}});
}

} // namespace

FailureOr<ShardingRule> ConcatOp::getFactors() {
  return joinAlong(*this, getAxis(), getConcatResult(), getInputs());
}

FailureOr<ShardingRule> SplitOp::getFactors() {
  return joinAlong(*this, getAxis(), getInput(), getOutputs());
}

FailureOr<ShardingRule> SliceOp::getFactors() {
  ShardingRule rule;
  TensorFactors factors = addFactors(rule, shapeOf(getData()));
  markCuts(*this, shapeOf(getData()), shapeOf(getOutput()), factors, rule);
  rule.operands = {factors};
  rule.results = {withoutOnes(factors, shapeOf(getOutput()))};
  return rule;
}

FailureOr<ShardingRule> SliceGradOp::getFactors() {
  ShardingRule rule;
  TensorFactors factors = addFactors(rule, shapeOf(getX()));
  markCuts(*this, shapeOf(getX()), shapeOf(getDY()), factors, rule);
  rule.operands = {withoutOnes(factors, shapeOf(getDY())), factors};
  rule.results = {factors};
  return rule;
}

FailureOr<ShardingRule> PadOp::getFactors() {
  ShardingRule rule;
  ArrayRef<int64_t> from = shapeOf(getData()), to = shapeOf(getOutput()), pads = getPads();
  TensorFactors data = addFactors(rule, from), output(data);
  for (auto [index, size] : llvm::enumerate(to)) {
    if (pads[index] == 0 && pads[from.size() + index] == 0)
      continue;
    if (data[index].empty() && size != 1) // the margin is new
      output[index] = {rule.add(FactorKind::Whole, "k" + std::to_string(index), size)};
    else if (!data[index].empty())
      rule.factors[data[index].front()].kind = size == 1 ? FactorKind::Whole : FactorKind::Near;
  }
  rule.operands = {data};
  rule.results = {withoutOnes(output, to)};
  return rule;
}
bool PadOp::isLinear() { return getValue().isZero(); }

FailureOr<ShardingRule> ExpandOp::getFactors() {
  ShardingRule rule;
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getOutput());
  TensorFactors output = addFactors(rule, to), input(output);
  input.erase(input.begin(), input.begin() + (to.size() - from.size()));
  rule.operands = {withoutOnes(input, from)};
  rule.results = {output};
  if (getLike())
    rule.operands.push_back(factorsOfLike(*this, output, rule));
  return rule;
}

FailureOr<ShardingRule> GatherOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getData());
}

FailureOr<ShardingRule> GatherElementsOp::getFactors() {
  FailureOr<ShardingRule> rule = expandAlong(*this, shardingText(), getAxis(), getData());
  if (succeeded(rule))
    keepShortenedWhole(*rule, countedFromZero(getAxis(), getData()), getData(), getIndices());
  return rule;
}

FailureOr<ShardingRule> ScatterElementsOp::getFactors() {
  static const ShardingText adds("p.. v^ q.., p.. j+ q.., p.. j q.. -> p.. v q..");
  const ShardingText &text = getReduction() == "add" ? adds : shardingText();
  FailureOr<ShardingRule> rule = expandAlong(*this, text, getAxis(), getData());
  if (succeeded(rule))
    keepShortenedWhole(*rule, countedFromZero(getAxis(), getData()), getData(), getIndices());
  return rule;
}

/// Of the updates of an element that are neither added nor put in its place.
template <typename Op> static bool addsOrReplaces(Op op) {
  return op.getReduction() == "add" || op.getReduction() == "none";
}

bool ScatterElementsOp::isLinear() { return addsOrReplaces(*this); }
bool ScatterNDOp::isLinear() { return addsOrReplaces(*this); }

FailureOr<ShardingRule> TopKOp::getFactors() {
  return expandAlong(*this, shardingText(), getAxis(), getX());
}

FailureOr<ShardingRule> GatherNDOp::getFactors() { return expandTuples(*this, shardingText()); }

FailureOr<ShardingRule> ScatterNDOp::getFactors() {
  static const ShardingText adds("b.. t^.. q.., b.. i+.. u^, b.. i.. q.. -> b.. t.. q..");
  return expandTuples(*this, getReduction() == "add" ? adds : shardingText());
}
