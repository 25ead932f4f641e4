// What most operations do to the scale of a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

#include "lib/layout/SampleRoles.h"
#include "lib/layout/Transfer.h"
#include "lib/program/GradientChain.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using Kind = ScaleEvent::Kind;

const ScaleEvent *RankLayouts::addEvent(Kind kind, Operation *op, const ScaleEvent *before) {
  events.push_back({op, kind, before});
  return &events.back();
}

void RankLayouts::scaleResults(Operation *op) {
  bool isKnown = scaleNumber(op) || scaleCollective(op) || scaleProduct(op) || scaleSum(op) ||
                 scaleMeasure(op) || scaleUpdate(op) || scaleRows(op) || scalePassing(op);
  if (!isKnown)
    scaleUnknown(op);
}

bool RankLayouts::isPart(Value value) const {
  const Known &known = get(value);
  return known.place.kind == Place::Shard ||
         (known.scale.isShared && known.place.kind != Place::Replicate);
}

//===----------------------------------------------------------------------===//
// Multiplying and adding
//===----------------------------------------------------------------------===//

static void takeFactor(RankScale &value, const RankScale &by, bool divides) {
  value.factor = value.factor * (divides ? by.factor.inverse() : by.factor);
  value.shares += divides ? -by.shares : by.shares;
}

/// Whether `value`, times or over `number`, is as large as what this rank computes of its part. The
/// mean of gradients over all samples is that of what each rank weighs twice: once because its own
/// are larger the fewer samples it has, and once to take the mean. Over its share it is as large as
/// they are.
static bool returnsToRank(const RankScale &value, const RankScale &number, bool divides) {
  bool isMean = value.isShared && !value.groups.empty() && value.shares == 2;
  return isMean && number.shares == (divides ? 1 : -1) &&
         (value.factor * (divides ? number.factor.inverse() : number.factor)).hasNoSizes();
}

RankScale RankLayouts::multiplyByNumber(Operation *op, RankScale value, bool isOfPart,
                                        const RankScale &number, bool divides) {
  if (returnsToRank(value, number, divides)) {
    RankScale own = getFresh(op->getResult(0));
    own.isShared = false;
    own.isCertain = value.isCertain && number.isCertain;
    own.wasShared = true;
    own.setFault(value.fault, value.faultOp, value.faultOther);
    return own;
  }
  takeFactor(value, number, divides);
  value.isFree = value.isFree || number.isFree;
  value.isShared = value.isShared && (number.isShared || isOfPart);
  if (number.isNumber && value.isNumber)
    value.isShared = value.isShared && number.isShared;
  Kind kind = number.shares != 0           ? Kind::ByShare
              : number.factor.hasNoSizes() ? Kind::ByNumber
                                           : Kind::BySize;
  if (!value.isNumber && (kind != Kind::ByNumber || !number.factor.isNumberOne()))
    value.last = addEvent(kind, op, value.last);
  return value;
}

/// A rank's count divided by the sum of all ranks' counts is its share.
static bool isShare(const RankScale &count, const RankScale &sum) {
  return count.origin && count.origin == sum.origin && count.groups.empty() &&
         !sum.groups.empty() && !count.isShared;
}

RankScale RankLayouts::multiplyByValue(Operation *op, RankScale value, Value operand,
                                       bool divides) {
  const RankScale &by = getScale(operand);
  if (divides && isShare(value, by)) {
    RankScale share;
    share.factor = ScaleFactor::ofWorld(op).inverse();
    share.isNumber = true;
    share.shares = 1;
    share.isCertain = value.isCertain && by.isCertain;
    return share;
  }
  bool hasBoth = !value.factor.hasNoSizes() && !by.factor.hasNoSizes();
  takeFactor(value, by, divides);
  value.isCertain = value.isCertain && by.isCertain && !by.gathered && (divides || !hasBoth);
  value.wasShared = value.wasShared || by.wasShared;
  if (by.isShared && isScalar(operand)) {
    value.hasUnknownFactor = value.hasUnknownFactor || by.factor.hasNoSizes();
    return value;
  }
  if (isScalar(operand) && by.count == (divides ? 1 : -1) && !by.isShared) {
    value.ownCount = op;
    value.isSeed = value.isSeed || (value.isShared && by.groups.empty());
  }
  if (!isScalar(operand))
    value.origin = op->getResult(0);
  if (by.isShared && value.isShared) {
    if (value.groups.empty() && !by.groups.empty()) {
      value.groups = by.groups;
      value.last = by.last;
      value.setFault(by.fault, by.faultOp, by.faultOther);
    }
    return value;
  }
  // A value of this rank's own from here on, whatever was reduced before.
  value.isShared = false;
  value.groups.clear();
  value.fault = ScaleFault::None;
  value.update = nullptr;
  if (value.isTrivial())
    value.last = nullptr;
  return value;
}

RankScale RankLayouts::multiply(Operation *op, Value left, Value right, bool divides) {
  const RankScale &first = getScale(left), &second = getScale(right);
  if (second.isNumber)
    return multiplyByNumber(op, first, isPart(left), second, divides);
  if (first.isNumber && !divides)
    return multiplyByNumber(op, second, isPart(right), first, divides);
  if (first.isNumber) { // a number divided by a value
    RankScale inverse = second;
    inverse.factor = first.factor * second.factor.inverse();
    inverse.shares = first.shares - second.shares;
    inverse.count = -second.count;
    if (second.count == 1 && !second.isShared && second.groups.empty() && isScalar(right)) {
      inverse.ownCount = op;
      inverse.isSeed = true;
    }
    inverse.origin = op->getResult(0);
    return inverse;
  }
  bool swaps = !divides && isScalar(left) && !isScalar(right);
  RankScale product = multiplyByValue(op, swaps ? second : first, swaps ? left : right, divides);
  product.origin = product.isNumber ? op->getResult(0) : product.origin;
  return product;
}

RankScale RankLayouts::add(Operation *op, ArrayRef<RankScale> summands) {
  const RankScale *main = nullptr;
  bool isShared = true;
  for (const RankScale &summand : summands) {
    isShared = isShared && summand.isShared;
    bool isBetter = !main || (main->isFree && !summand.isFree) ||
                    (!summand.isFree && main->isNumber) ||
                    (!summand.isFree && main->groups.empty() && !summand.groups.empty());
    if (isBetter)
      main = &summand;
  }
  RankScale sum = *main;
  sum.isNumber = false;
  if (main->isNumber)
    sum.factor = sum.factor.withoutNumber();
  bool counts = llvm::all_of(summands, [](const RankScale &s) { return s.count == 1 || s.isFree; });
  sum.count = counts && main->count == 1;
  for (const RankScale &other : summands) {
    if (&other == main || other.isFree)
      continue;
    sum.isCertain = sum.isCertain && other.isCertain && !other.gathered;
    sum.wasShared = sum.wasShared || other.wasShared;
    sum.mayLackShare = sum.mayLackShare || other.mayLackShare;
    sum.ownCount = sum.ownCount ? sum.ownCount : other.ownCount;
    sum.isSeed = sum.isSeed || other.isSeed;
    double number = other.isNumber ? 1 : other.factor.getNumber();
    if (std::abs(sum.factor.getNumber() - number) > 1e-6 * number)
      sum.hasUnknownFactor = true;
    if (sum.shares != other.shares || !sum.factor.hasEqualSizes(other.factor)) {
      bool isClear = !sum.hasUnknownFactor && !other.hasUnknownFactor && !other.isNumber;
      if (isClear && sum.isCertain)
        sum.setFault(ScaleFault::MixedScale, op);
      else
        sum.isCertain = false;
    }
  }
  if (sum.isShared && !isShared && !sum.groups.empty()) { // what is reduced, and what is not
    sum.groups.clear();
    if (sum.fault != ScaleFault::MixedScale)
      sum.fault = ScaleFault::None;
    sum.setFault(ScaleFault::PartlyReduced, op, findReduction(sum.last));
  }
  sum.isShared = isShared;
  return sum;
}

/// What is one of several values.
RankScale RankLayouts::choose(ArrayRef<RankScale> values) {
  RankScale chosen = values.front();
  for (const RankScale &other : values.drop_front()) {
    bool isShared = chosen.isShared && other.isShared;
    bool isEqual = chosen.shares == other.shares && chosen.factor.hasEqualSizes(other.factor);
    bool takesOther = chosen.isFree || (chosen.groups.empty() && !other.groups.empty());
    bool isCertain =
        chosen.isCertain && other.isCertain && (isEqual || chosen.isFree || other.isFree);
    if (takesOther && !other.isFree)
      chosen = other;
    chosen.isShared = isShared;
    chosen.isCertain = isCertain;
    if (!isShared)
      chosen.groups.clear();
  }
  return chosen;
}

bool RankLayouts::scaleProduct(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  RankScale result;
  if (isa<arith::MulFOp, arith::MulIOp, train::ScaleOp>(op))
    result = multiply(op, op->getOperand(0), op->getOperand(1), /*divides=*/false);
  else if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(op))
    result = multiply(op, op->getOperand(0), op->getOperand(1), /*divides=*/true);
  else if (isa<train::UnscaleOp, train::ClipOp>(op)) {
    // A loss scale cancels one in front of the gradient, and a limit is the program's own.
    bool hadUnknown = getScale(op->getOperand(0)).hasUnknownFactor;
    result = multiplyByValue(op, getScale(op->getOperand(0)), op->getOperand(1), /*divides=*/true);
    result.factor = getScale(op->getOperand(0)).factor;
    result.hasUnknownFactor = hadUnknown;
  } else if (isa<math::SqrtOp>(op)) {
    result = getScale(op->getOperand(0));
    result.factor = result.factor.root();
    result.origin = op->getResult(0);
  } else
    return false;
  setScale(op->getResult(0), result);
  return true;
}

bool RankLayouts::scaleSum(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return false;
  setScale(op->getResult(0), add(op, {getScale(op->getOperand(0)), getScale(op->getOperand(1))}));
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A result of `loop`, of which the first of two turns yields `first`.
RankScale RankLayouts::repeat(scf::ForOp loop, unsigned index, RankScale first) {
  Value yielded = loop.getYieldedValues()[index];
  const RankScale &second = getScale(yielded);
  if (second.fault != ScaleFault::None)
    first.setFault(second.fault, second.faultOp, second.faultOther);
  if (!first.factor.hasEqualSizes(second.factor) || first.shares != second.shares)
    first.isCertain = false;
  first.isShared = second.isShared && first.isShared;
  // Other loops add up what belongs together, as those over the time steps of a recurrent layer do.
  int64_t turns = countMicroBatches(loop);
  bool addsUp = turns > 0 && findFirstSum(loop.getRegionIterArg(index), yielded) &&
                getScale(loop.getInitArgs()[index]).isFree;
  if (!addsUp)
    return first;
  if (!first.isFree)
    first.turns *= static_cast<double>(turns);
  first.last = addEvent(Kind::Accumulated, loop, first.last);
  return first;
}

//===----------------------------------------------------------------------===//
// Operations on gradients and rows
//===----------------------------------------------------------------------===//

/// The sum of a list that holds the rows of all ranks.
static RankScale sumGathered(RankScale scale) {
  scale.factor = scale.factor * ScaleFactor::ofSize(scale.gathered);
  scale.groups.push_back(scale.gathered);
  scale.isShared = getCoverage(scale.groups) == Coverage::Whole;
  scale.gathered = {};
  return scale;
}

/// Norms and checks: of a part of a gradient they are a part of the whole.
bool RankLayouts::scaleMeasure(Operation *op) {
  if (!measuresGradients(op))
    return false;
  RankScale scale = getFresh(op->getResult(0));
  GroupOpInterface scattered;
  bool hasParts = false, areMeans = true;
  for (Value gradient : op->getOperands()) {
    const RankScale &measured = getScale(gradient);
    areMeans = areMeans && measured.shares == 1;
    scale.isCertain = scale.isCertain && measured.isCertain;
    hasParts = hasParts || isPart(gradient);
    if (GroupOpInterface group = getPlace(gradient).getScattered())
      scattered = group;
  }
  if (hasParts)
    scale.isShared = false;
  scale.measuresShares = hasParts && areMeans;
  if (hasParts && scattered && isa<train::SumOfSquaresOp>(op))
    scale.factor = ScaleFactor::ofSize(scattered).inverse();
  else if (hasParts)
    scale.isCertain = false;
  setScale(op->getResult(0), scale);
  return true;
}

bool RankLayouts::scaleUpdate(Operation *op) {
  if (auto optimizer = dyn_cast<OptimizerOpInterface>(op)) {
    bool isOfPart = isPart(optimizer.getVariable());
    const RankScale &gradient = getScale(optimizer.getGradientMutable().get());
    for (Value result : op->getResults()) {
      RankScale scale = getFresh(result);
      scale.isShared = scale.isShared || isOfPart;
      scale.update = gradient.groups.empty() ? nullptr : op;
      setScale(result, scale);
    }
    return true;
  }
  if (auto select = dyn_cast<train::SelectOp>(op)) {
    setScale(select.getResult(),
             choose({getScale(select.getOnTrue()), getScale(select.getOnFalse())}));
    return true;
  }
  return false;
}

/// What the entries of a list of rows add up to.
RankScale RankLayouts::sumRows(Operation *op, Value rows) {
  RankScale sum = getScale(rows);
  if (sum.gathered) {
    sum = sumGathered(sum);
    sum.last = addEvent(Kind::Reduced, op, sum.last);
  }
  if (sum.pieces > 1)
    sum.last = addEvent(Kind::Accumulated, op, sum.last);
  sum.turns *= std::exchange(sum.pieces, 1);
  return sum;
}

/// Lists of rows: they may be put together of those of micro-batches, and joined.
bool RankLayouts::scaleRows(Operation *op) {
  if (auto put = dyn_cast<train::PutMicroBatchOp>(op)) {
    RankScale part = getScale(put.getPart());
    part.pieces *= static_cast<double>(put.getParts());
    setScale(put.getResult(), part);
    return true;
  }
  if (auto join = dyn_cast<tensor::ConcatOp>(op)) {
    setScale(join.getResult(), choose(llvm::map_to_vector(
                                   join.getInputs(), [&](Value list) { return getScale(list); })));
    return true;
  }
  if (auto merge = dyn_cast<train::MergeRowsOp>(op)) {
    RankScale rows = sumRows(op, merge.getRows());
    if (merge.getCount() && !getScale(merge.getCount()).isNumber)
      rows.isCertain = false;
    else if (merge.getCount())
      rows = multiplyByNumber(op, rows, isPart(merge.getRows()), getScale(merge.getCount()),
                              /*divides=*/true);
    setScale(merge.getMergedRows(), rows);
    setScale(merge.getMergedIndices(), getFresh(merge.getMergedIndices()));
    return true;
  }
  if (auto scatter = dyn_cast<train::ScatterRowsOp>(op)) {
    const RankScale &rows = getScale(scatter.getRows());
    if (isPart(scatter.getRows()) && !rows.groups.empty() && !rows.gathered)
      return false; // each rank adds up its own piece of what was reduced
    setScale(scatter.getTable(), sumRows(op, scatter.getRows()));
    return true;
  }
  return false;
}

/// Operations that move or convert one value, and keep what it is a multiple of.
bool RankLayouts::scalePassing(Operation *op) {
  if (op->getNumResults() == 0)
    return op->getNumRegions() == 0;
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && !getScale(op->getOperand(0)).isNumber)
    return false; // counts
  bool passes =
      isa<arith::NegFOp, arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp, arith::SIToFPOp,
          arith::UIToFPOp, math::AbsFOp, tensor::CastOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::ReshapeOp, tensor::ExtractOp,
          tensor::SplatOp, train::MarkGradientOp, train::GatherRowsOp, train::MicroBatchOp>(op) ||
      changesRow(op) || (isa<tensor::FromElementsOp>(op) && op->getNumOperands() == 1);
  if (!passes)
    return false;
  setScale(op->getResult(0), getScale(op->getOperand(isa<train::MicroBatchOp>(op) ? 1 : 0)));
  return true;
}
