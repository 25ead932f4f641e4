// From the scale of a value to an error about it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/verification/GradientVerdict.h"

#include "dialects/train/ProgramClaims.h"
#include "dialects/train/ValueRoles.h"
#include "lib/analysis/Remarks.h"
#include "lib/layout/SampleRoles.h"
#include "lib/program/GradientChain.h"
#include "lib/program/ValueNames.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/distribution/verification/Subjects.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;
using train::TrainDialect;
using EventKind = ScaleEvent::Kind;

/// Whether some number may be the number of ranks, or a part of 1/N, that was folded.
static bool hasFoldedSize(Program program) {
  std::optional<int64_t> ranks = findWorldSize(program.module);
  auto isSize = [&](train::ScaleOp op) {
    DenseFPElementsAttr number;
    if (!matchPattern(op.getFactor(), m_Constant(&number)))
      return WalkResult::advance();
    double factor = number.getSplatValue<APFloat>().convertToDouble();
    bool isOne = factor == double(*ranks) || std::abs(factor * double(*ranks) - 1) < 1e-6;
    return isOne ? WalkResult::interrupt() : WalkResult::advance();
  };
  return ranks && program.step.walk(isSize).wasInterrupted();
}

namespace {
class Judge {
public:
  Judge(Program program, const RankLayouts &scales, StringRef pass)
      : program(program), scales(scales), layouts(program.step, /*isDistributed=*/true), pass(pass),
        wantsSums(program.module->hasAttr(train::kSumsGradients)),
        isSizeFolded(hasFoldedSize(program)) {
    if (isSizeFolded)
      folded.emplace(program.step, /*isDistributed=*/true, *findWorldSize(program.module));
    for (auto dataset : program.module.getOps<train::DatasetOp>())
      if (!unequal && hasUnequalParts(dataset))
        unequal = dataset;
  }

  LogicalResult run();

private:
  void judgeGradient(const Subject &subject);
  void judgeResults();
  void judgeNorm(train::ClipOp clip);
  /// The faults that need no factor; whether there was one.
  bool findsFault(const Subject &subject, const RankScale &scale);
  bool findsPart(const Subject &subject, const RankScale &scale);
  void judgeFactor(const Subject &subject, const RankScale &scale);
  bool isProvedByLayout(const Subject &subject, const RankScale &scale);
  static bool isProvedBy(const SampleRoles &roles, const Subject &subject, const RankScale &scale);
  bool isMeanOfSums(const Subject &subject, const RankScale &scale);
  void reportTurns(const Subject &subject, const RankScale &scale);
  void judgeShares(const Subject &subject, const RankScale &scale);
  void reportFactor(const Subject &subject, const RankScale &scale);
  InFlightDiagnostic error(Operation *at);
  void explain(InFlightDiagnostic &error, const Subject &subject, const ScaleEvent *last,
               Operation *named);
  void remarkUnknown(const Subject &subject, StringRef why);

  Program program;
  const RankLayouts &scales;
  SampleRoles layouts;
  StringRef pass;
  bool wantsSums;
  train::DatasetOp unequal; ///< feeds ranks unequal parts of the batch; null if none does
  bool isSizeFolded;
  std::optional<SampleRoles> folded; ///< with 1/N read as such, if some number may be that
  llvm::DenseSet<std::pair<Operation *, int>> told;
  bool failedAny = false;
};
} // namespace

InFlightDiagnostic Judge::error(Operation *at) {
  failedAny = true;
  return mlir::emitError(at->getLoc());
}

/// Notes on the last few operations of the way, the first one first, and on the user of the value.
void Judge::explain(InFlightDiagnostic &error, const Subject &subject, const ScaleEvent *last,
                    Operation *named) {
  constexpr unsigned kMost = 3;
  SmallVector<const ScaleEvent *> way;
  for (; last && way.size() < kMost; last = last->before)
    if (last->op != named)
      way.push_back(last);
  for (const ScaleEvent *event : llvm::reverse(way))
    error.attachNote(event->op->getLoc())
        << quoted(event->op) << " " << spellScaleEvent(event->kind);
  if (subject.user != named)
    error.attachNote(subject.user->getLoc()) << quoted(subject.user) << " takes it here";
}

void Judge::remarkUnknown(const Subject &subject, StringRef why) {
  remark::analysis(subject.user->getLoc(), remarkBy(pass, program.step))
      << (subject.name + ": it is not known whether it is divided once: " + why).str();
}

//===----------------------------------------------------------------------===//
// Faults of the way
//===----------------------------------------------------------------------===//

/// A reduction over groups that never meet.
bool Judge::findsPart(const Subject &subject, const RankScale &scale) {
  if (scale.isShared || subject.isRanksOwn || scale.groups.empty() || !scale.isCertain)
    return false;
  Operation *at = findReduction(scale.last);
  if (!at || !told.insert({at, -6}).second)
    return at;
  GroupOpInterface group = scale.groups.back();
  InFlightDiagnostic diagnostic = error(at);
  diagnostic << quoted(at) << " reduces " << subject.name << " over a part of the ranks, @"
             << SymbolTable::getSymbolName(group).getValue()
             << ", and nothing reduces it over the others";
  explain(diagnostic, subject, scale.last, at);
  return true;
}

bool Judge::findsFault(const Subject &subject, const RankScale &scale) {
  bool isAlone = subject.isRanksOwn && scale.groups.empty(); // it may make anything of its samples
  bool isHarmless =
      scale.fault == ScaleFault::PartlyReduced && (scale.isShared || subject.isRanksOwn);
  isHarmless |= scale.fault == ScaleFault::MixedScale && isAlone;
  if (scale.fault == ScaleFault::None || isHarmless)
    return findsPart(subject, scale);
  if (!told.insert({scale.faultOp, int(scale.fault)}).second)
    return true; // once for a bucket of many
  InFlightDiagnostic diagnostic = error(scale.faultOp);
  diagnostic << quoted(scale.faultOp);
  switch (scale.fault) {
  case ScaleFault::ReducedTwice:
    diagnostic << " reduces " << subject.name << " over the ranks twice";
    diagnostic.attachNote(scale.faultOther->getLoc())
        << quoted(scale.faultOther) << " has reduced it before";
    break;
  case ScaleFault::ReducedUpdate:
    diagnostic << " reduces " << subject.name
               << ", whose gradient was reduced already: reduce one of them";
    diagnostic.attachNote(scale.faultOther->getLoc())
        << quoted(scale.faultOther) << " takes the reduced gradient";
    break;
  case ScaleFault::NotSummed:
    diagnostic << " makes " << subject.name
               << " a maximum, a minimum or a product over the ranks; use mean";
    break;
  case ScaleFault::OneRankOnly:
    diagnostic << " gives all ranks " << subject.name
               << " of one rank, and those of the others are lost; use collective.all_reduce";
    break;
  case ScaleFault::KeptAtRoot:
    diagnostic << " leaves the sum of " << subject.name
               << " on one rank, and the others keep their own; use collective.all_reduce";
    break;
  case ScaleFault::MixedScale:
    diagnostic << " adds up parts of " << subject.name
               << " of which one is multiplied by a number of ranks that the other lacks";
    break;
  case ScaleFault::PartlyReduced:
    diagnostic << " adds a part of " << subject.name
               << " that is reduced over the ranks to one that is not";
    diagnostic.attachNote(scale.faultOther->getLoc())
        << quoted(scale.faultOther) << " reduces the one";
    break;
  case ScaleFault::None:
    llvm_unreachable("returned above");
  }
  if (scale.fault == ScaleFault::MixedScale)
    explain(diagnostic, subject, scale.last, scale.faultOp);
  else if (subject.user != scale.faultOp && subject.user != scale.faultOther)
    diagnostic.attachNote(subject.user->getLoc()) << quoted(subject.user) << " takes it here";
  return true;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Names what is one too many where the factor is too small, and what lacks a divisor where it is
/// too large.
void Judge::reportFactor(const Subject &subject, const RankScale &scale) {
  std::optional<double> value = scale.factor.evaluateSizes();
  std::string spelled = scale.factor.spellSizes();
  bool isLarge = value ? *value > 1 : !StringRef(spelled).starts_with("1/");
  Operation *reduction = findReduction(scale.last);
  Operation *scaling = findLast(scale.last, {EventKind::BySize, EventKind::ByShare});
  Operation *at = scaling && (!isLarge || !reduction) ? scaling : reduction;
  at = at ? at : subject.user;
  if (!told.insert({at, isLarge ? -1 : -2}).second)
    return;
  InFlightDiagnostic diagnostic = error(at);
  diagnostic << quoted(at) << " makes " << subject.name << " " << spelled
             << " times the mean over the ranks: ";
  if (isLarge)
    diagnostic << "a sum over ranks is not divided by their number; use mean";
  else
    diagnostic << "it is divided by a number of ranks more often than it is summed; divide once";
  explain(diagnostic, subject, scale.last, at);
}

/// A sum over micro-batches that nothing divides.
void Judge::reportTurns(const Subject &subject, const RankScale &scale) {
  Operation *at = findLast(scale.last, {EventKind::Accumulated});
  if (!at || !told.insert({at, -7}).second)
    return;
  InFlightDiagnostic diagnostic = error(at);
  diagnostic << quoted(at) << " adds up " << static_cast<int64_t>(scale.turns) << " turns of "
             << subject.name << " and nothing divides the sum: scale each by 1/"
             << static_cast<int64_t>(scale.turns);
  explain(diagnostic, subject, scale.last, at);
}

/// Where ranks hold unequal parts, means of ranks count by their shares.
void Judge::judgeShares(const Subject &subject, const RankScale &scale) {
  if (!unequal || scale.groups.empty() || scale.shares == 1 || scale.measuresShares)
    return;
  Operation *at = findLast(scale.last, {EventKind::Reduced});
  if (!at || !told.insert({at, -3}).second)
    return;
  InFlightDiagnostic diagnostic = error(at);
  diagnostic << quoted(at) << " takes a mean of means: ranks hold unequal parts of the batch, and "
             << subject.name << " of each counts alike; scale by train.batch_weight before the sum";
  diagnostic.attachNote(unequal.getLoc())
      << "@" << unequal.getSymName() << " has the policy weighted";
  explain(diagnostic, subject, scale.last, at);
}

/// Whether the rules of operations prove that the value is that of the whole batch: a sum over
/// samples that was summed over ranks, or a mean that was averaged; or the rank's part of one.
bool Judge::isProvedByLayout(const Subject &subject, const RankScale &scale) {
  return isProvedBy(layouts, subject, scale) || (folded && isProvedBy(*folded, subject, scale));
}

bool Judge::isProvedBy(const SampleRoles &roles, const Subject &subject, const RankScale &scale) {
  Layout layout = roles.get(getRawGradient(subject.value));
  if (scale.turns > 1 && !findLast(scale.last, {EventKind::ByNumber}))
    return false;
  if (subject.isRanksOwn && layout.isSum() && layout.scale == 1)
    return true; // a rank's own mean
  // What each rank adds to a sum over all of them, in whatever steps.
  Layout own = scale.origin ? roles.get(scale.origin) : Layout::own();
  bool isSummand = own.isSum() && own.scale == 0 && scale.isCertain && scale.shares == 0;
  if (isSummand && scale.isShared &&
      (scale.factor * ScaleFactor::ofWorld(subject.user).inverse()).cancels())
    return true;
  bool isPart = layout.isShard() && layout.scale == 0;
  return !scale.groups.empty() && (isPart || (layout.isWhole() && scale.isShared));
}

/// A sum over samples whose mean over ranks is taken is too small, however right a mean of ranks
/// looks. True if that is so.
bool Judge::isMeanOfSums(const Subject &subject, const RankScale &scale) {
  Layout layout = layouts.get(getRawGradient(subject.value));
  Layout own = scale.origin ? layouts.get(scale.origin) : Layout::own(); // before the reduction
  bool isMean = layout.isReplicate() && layout.scale.share < 0 && own.isSum() && own.scale == 0;
  if (!isMean || scale.groups.empty() || wantsSums || isSizeFolded)
    return false;
  Operation *at = findLast(scale.last, {EventKind::Reduced, EventKind::BySize});
  at = at ? at : subject.user;
  if (!told.insert({at, -8}).second)
    return true;
  InFlightDiagnostic diagnostic = error(at);
  diagnostic << quoted(at) << " makes " << subject.name
             << " a mean over the ranks, though each has the sum over its samples: use sum";
  explain(diagnostic, subject, scale.last, at);
  return true;
}

void Judge::judgeFactor(const Subject &subject, const RankScale &scale) {
  if (isMeanOfSums(subject, scale))
    return;
  bool isProved = !wantsSums && isProvedByLayout(subject, scale);
  if (!isProved && scale.ownCount && !scale.groups.empty() && (scale.isCertain || scale.isSeed)) {
    if (!told.insert({scale.ownCount, -4}).second)
      return;
    InFlightDiagnostic diagnostic = error(scale.ownCount);
    diagnostic << quoted(scale.ownCount) << " divides " << subject.name
               << " by a count of this rank's own, so that its mean over ranks is a mean of means; "
                  "sum it and the count over the ranks, then divide";
    return explain(diagnostic, subject, scale.last, scale.ownCount);
  }
  if (isProved)
    return;
  if (!scale.isCertain)
    return remarkUnknown(subject, "an operation on the way hides its scale");
  if (wantsSums)
    return; // whether and where to divide is for the author to say
  bool mayHide = scale.hasUnknownFactor || findLast(scale.last, {EventKind::ByNumber});
  if (scale.turns > 1 && !mayHide)
    return reportTurns(subject, scale);
  if (scale.factor.hasNoSizes())
    return judgeShares(subject, scale);
  ScaleFactor whole = scale.factor * ScaleFactor::ofNumber(scale.turns);
  if (whole.cancels() || subject.maybeSum)
    return;
  bool isOfOwn = subject.isRanksOwn && scale.groups.empty() &&
                 layouts.get(getRawGradient(subject.value)).isOwn();
  if (isOfOwn) // of its own samples each rank may make anything
    return remarkUnknown(subject, "what a rank's part of it is to the whole is not known");
  bool isKnown = scale.factor.evaluateSizes().has_value();
  if (scale.hasUnknownFactor || (mayHide && isKnown))
    return remarkUnknown(subject, "it is multiplied by a number whose meaning is not known");
  ScaleFactor share = ScaleFactor::ofNumber(1.0 / double(scales.getBatchParts()));
  if (scale.mayLackShare && (scale.factor * share).cancels())
    return remarkUnknown(subject, "a number on the way may be one over the number of ranks");
  reportFactor(subject, scale);
}

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

void Judge::judgeGradient(const Subject &subject) {
  const RankScale &scale = scales.getScale(subject.value);
  bool isNothing = subject.isMarked && (scale.isNumber || scale.isFree);
  if (!findsFault(subject, scale) && !isNothing)
    judgeFactor(subject, scale);
}

void Judge::judgeNorm(train::ClipOp clip) {
  const RankScale &scale = scales.getScale(clip.getNorm());
  bool isOfOne = scale.fault == ScaleFault::OneRankOnly || scale.fault == ScaleFault::KeptAtRoot;
  if (isOfOne || scale.fault == ScaleFault::NotSummed) {
    if (!told.insert({scale.faultOp, -5}).second)
      return;
    InFlightDiagnostic diagnostic = error(scale.faultOp);
    diagnostic << quoted(scale.faultOp)
               << (isOfOne ? " gives all ranks the norm of one rank's part"
                           : " combines norms of parts by a maximum, a minimum or a product")
               << ": sum their squares over the ranks and take the root";
    diagnostic.attachNote(clip.getLoc()) << quoted(clip) << " takes the norm here";
    return;
  }
  if (!scale.isCertain || scale.hasUnknownFactor || scale.factor.hasNoSizes() ||
      scale.factor.cancels())
    return;
  Operation *at = findLast(scale.last, {EventKind::Reduced, EventKind::BySize});
  at = at ? at : clip;
  if (!told.insert({at, -5}).second)
    return;
  InFlightDiagnostic diagnostic = error(at);
  diagnostic << quoted(at) << " makes the norm " << scale.factor.spellSizes()
             << " times what it is: every rank adds the whole of what all have";
  diagnostic.attachNote(clip.getLoc()) << quoted(clip) << " takes it here";
}

/// Variables that were updated by arithmetic, or reduced after the update; and metrics.
void Judge::judgeResults() {
  Operation *exit = program.step.getBody().front().getTerminator();
  for (OpOperand &result : exit->getOpOperands()) {
    unsigned index = result.getOperandNumber();
    if (!isa<FloatType>(getElementTypeOrSelf(result.get())))
      continue;
    train::VariableAttr variable = getVariable(program.step, index);
    auto metric = program.step.getResultAttrOfType<StringAttr>(index, TrainDialect::kMetric);
    bool isTrained = variable && variable.getVariableClass() == train::VariableClass::Trainable;
    if (!isTrained && !metric)
      continue;
    std::string name = isTrained ? ("variable \"" + variable.getName() + "\"").str()
                                 : ("metric \"" + metric.getValue() + "\"").str();
    const RankScale &scale = scales.getScale(result.get());
    Subject subject = subjectOfResult(result, name);
    subject.isRanksOwn = metric || !variable.isReplicated();
    std::optional<double> sizes = scale.factor.evaluateSizes();
    // The sum of what ranks counted is a metric too.
    subject.maybeSum =
        metric && !(sizes ? *sizes < 1 : StringRef(scale.factor.spellSizes()).starts_with("1/"));
    // A metric may be a maximum, or what one rank found.
    bool mayCombine = metric && scale.fault != ScaleFault::ReducedTwice;
    if (!mayCombine && findsFault(subject, scale))
      continue;
    bool isSimple = scale.isCertain && !scale.isNumber && !scale.isFree;
    if (isSimple && (metric || !scale.update))
      judgeFactor(subject, scale);
  }
}

LogicalResult Judge::run() {
  for (const Subject &subject : findGradientSubjects(program.step))
    judgeGradient(subject);
  program.step.walk([&](train::ClipOp clip) { judgeNorm(clip); });
  judgeResults();
  return failure(failedAny);
}

LogicalResult tutti::distribution::verifyScale(Program program, const RankLayouts &step,
                                               StringRef pass) {
  bool isDistributed = !program.module.getOps<GroupOpInterface>().empty();
  if (!isDistributed || findWorldSize(program.module) == 1)
    return success(); // one rank has nothing to reduce, and its numbers are its own
  return Judge(program, step, pass).run();
}
