// Where the interpretation of scale begins: numbers, and what nothing is known of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

#include "dialects/train/Train.h"
#include "lib/layout/Transfer.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;

RankScale RankLayouts::getFresh(Value value) const {
  RankScale scale;
  scale.origin = value;
  scale.isShared = uniformity.isUniform(value);
  return scale;
}

/// Whether a float is made of integers and of counts alone.
static bool isCounting(Operation *op, llvm::function_ref<const RankScale &(Value)> get) {
  bool counts = false;
  for (Value operand : op->getOperands()) {
    const RankScale &scale = get(operand);
    bool isInteger = isa<IntegerType>(getElementTypeOrSelf(operand));
    if (!scale.isNumber && !scale.isFree && scale.count != 1 && !isInteger)
      return false;
    counts = counts || scale.count == 1 || (isInteger && !scale.isNumber);
  }
  return counts;
}

/// What is made of one value alone is reduced as often as that.
static void keepReductions(RankScale &scale, const RankScale &from) {
  scale.groups = from.groups;
  scale.last = from.last;
  scale.setFault(from.fault, from.faultOp, from.faultOther);
}

/// Whether what all ranks have alike, as where gradients begin, is divided by a count of each
/// rank's own.
bool RankLayouts::dividesByOwnCount(Operation *op) const {
  Value divisor = findDivisor(op);
  if (!divisor || !isScalar(divisor))
    return false;
  const RankScale &count =
      getScale(divisor); // one that was reduced may be this rank's share of all
  return count.count == 1 && !count.isShared && count.groups.empty() &&
         getScale(op->getOperand(0)).isShared;
}

/// The results start anew. Where one of the operands is not as on one device, nobody knows what
/// that makes of the results.
void RankLayouts::scaleUnknown(Operation *op) {
  bool isCertain = !mayCommunicate(op), wasShared = false, mayLackShare = false;
  Operation *seed = nullptr;
  forEachTaken(op, [&](Value operand) {
    const RankScale &scale = getScale(operand);
    bool isWhole = scale.isTrivial() || scale.isWeightedMean() ||
                   (scale.isCertain && scale.shares == 0 && scale.factor.cancels());
    isCertain = isCertain && isWhole && !scale.gathered;
    mayLackShare = mayLackShare || scale.mayLackShare ||
                   (batchParts > 1 && scale.factor.isAbout(1.0 / double(batchParts)));
    wasShared = wasShared || scale.wasShared;
    seed = scale.isSeed ? scale.ownCount : seed;
  });
  if (dividesByOwnCount(op))
    seed = op;
  bool isOneToOne = op->getNumOperands() == 1 && op->getNumResults() == 1;
  bool counts = op->getNumRegions() == 0 && isCounting(
                                                op, [&](Value v) -> auto & { return getScale(v); });
  for (Value result : op->getResults()) {
    RankScale scale = getFresh(result);
    scale.isCertain = isCertain;
    scale.wasShared = wasShared;
    scale.mayLackShare = mayLackShare;
    scale.ownCount = seed;
    scale.isSeed = seed != nullptr;
    scale.count = counts && isa<FloatType>(getElementTypeOrSelf(result));
    if (isOneToOne && !counts) {
      keepReductions(scale, getScale(op->getOperand(0)));
      scale.isShared |= isPart(op->getOperand(0)) && getScale(op->getOperand(0)).isShared;
    }
    setScale(result, scale);
  }
}

/// What a constant of one value is; nothing for any other operation.
static std::optional<double> getConstant(Operation *op) {
  Attribute value;
  if (!matchPattern(op, m_Constant(&value)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValueAsDouble();
  auto number = dyn_cast<IntegerAttr>(value);
  return number ? std::optional<double>(number.getValue().getSExtValue()) : std::nullopt;
}

static bool asksFor(Operation *op, RankQuestion::Kind kind) {
  auto query = dyn_cast<RankQueryOpInterface>(op);
  return query && query.getQuestion().kind == kind;
}

/// Numbers, and what is computed from numbers and sizes alone.
bool RankLayouts::scaleNumber(Operation *op) {
  RankScale scale;
  scale.isNumber = scale.isShared = true;
  if (std::optional<double> number = getConstant(op)) {
    scale.isFree = *number == 0;
    scale.factor = ScaleFactor::ofNumber(*number);
  } else if (asksFor(op, RankQuestion::Size)) {
    GroupOpInterface group = findGroup(op, cast<RankQueryOpInterface>(op).getQuestion().group);
    if (!group)
      return false;
    scale.factor = ScaleFactor::ofSize(group);
  } else if (asksFor(op, RankQuestion::LocalSize)) {
    scale.factor = ScaleFactor::ofLocalSize(op->getContext());
  } else if (isa<train::BatchWeightOp>(op)) {
    // The shares of all ranks add up to 1, as 1/N does.
    scale.factor = ScaleFactor::ofWorld(op).inverse();
    scale.isShared = false;
    scale.shares = 1;
  } else {
    return false;
  }
  scale.origin = op->getResult(0);
  setScale(op->getResult(0), scale);
  return true;
}
