// From the place of a value to an error about it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/verification/PlaceVerdict.h"

#include "dialects/interfaces/Pointwise.h"
#include "dialects/train/ValueRoles.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/GradientChain.h"
#include "lib/program/ValueNames.h"
#include "passes/distribution/verification/Subjects.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
class PlaceJudge {
public:
  PlaceJudge(Program program, const RankLayouts &places, StringRef pass)
      : program(program), places(places), pass(pass) {}

  void judgeStep();
  void judgeVariables(func::FuncOp function, const RankLayouts &places);
  bool failed() const { return hasFailed; }

private:
  void judgeUpdate(OptimizerOpInterface optimizer, const Subject &gradient);
  /// `mayChoose`: whether it may be made of some ranks' samples alone, as a queue of features may.
  bool judge(const Subject &subject, const Place &place, bool mayChoose = false);
  bool judgeSources(const Subject &subject, const Place &place);
  void judgeShard(const Subject &subject, const Place &place);
  void reportOddCut(const Subject &subject, const Cut &cut);
  void reportFault(const Subject &subject, PlaceFault fault, Operation *op);
  void reportSource(const Subject &subject, const Source &source);
  void remarkHidden(const Subject &subject, Operation *gather);
  /// Null where the operation has been named before.
  std::optional<InFlightDiagnostic> error(Operation *at, const Subject &subject);

  Program program;
  const RankLayouts &places;
  StringRef pass;
  llvm::DenseSet<Operation *> told;
  bool hasFailed = false;
};
} // namespace

std::optional<InFlightDiagnostic> PlaceJudge::error(Operation *at, const Subject &subject) {
  hasFailed = true;
  if (!told.insert(at).second)
    return std::nullopt;
  InFlightDiagnostic diagnostic = mlir::emitError(at->getLoc());
  if (subject.user != at)
    diagnostic.attachNote(subject.user->getLoc()) << quoted(subject.user) << " takes it here";
  diagnostic << quoted(at);
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Names the first rank whose part lies where that of another one should.
void PlaceJudge::reportOddCut(const Subject &subject, const Cut &cut) {
  auto diagnostic = error(cut.by, subject);
  if (!diagnostic)
    return;
  auto slice = cast<tensor::ExtractSliceOp>(cut.by);
  int64_t length = slice.getStaticSizes()[cut.dim];
  auto offsets = cast<DenseI64ArrayAttr>(cut.offsets).asArrayRef();
  *diagnostic << " does not cut the rank's part of " << subject.name << ": ";
  for (auto [rank, offset] : llvm::enumerate(offsets))
    if (int64_t own = static_cast<int64_t>(rank) * length;
        offset != own && !ShapedType::isDynamic(length)) {
      *diagnostic << "rank " << rank << " takes elements from " << offset << " on of dimension "
                  << cut.dim << ", not from " << own << "; cut at the rank times " << length;
      return;
    }
  *diagnostic << "the parts of dimension " << cut.dim
              << " do not make up the whole; cut as many equal parts as the group has ranks";
}

void PlaceJudge::reportFault(const Subject &subject, PlaceFault fault, Operation *op) {
  auto diagnostic = error(op, subject);
  if (!diagnostic)
    return;
  switch (fault) {
  case PlaceFault::MixedParts:
    *diagnostic << " combines parts for " << subject.name
                << " that were cut at different places, along other dimensions or over other "
                   "groups; cut variable, gradient and states alike";
    break;
  case PlaceFault::MixedWhole:
    *diagnostic << " combines each rank's part with one value that all ranks have alike, for "
                << subject.name << ": it belongs to one place only; cut it as the part is cut";
    break;
  case PlaceFault::AddedParts:
    *diagnostic << " adds up parts of " << subject.name
                << " that lie at different places; reduce before the cut, or over the ranks that "
                   "hold the same part";
    break;
  case PlaceFault::Scrambled:
    *diagnostic << " does not undo the cut of " << subject.name
                << ": the parts were cut along another dimension or over another group; gather "
                   "along the dimension and over the group of the cut";
    break;
  case PlaceFault::Copies:
    *diagnostic << " puts together what all ranks have alike, as if it were parts of "
                << subject.name << "; cut each rank's own part before";
    break;
  case PlaceFault::NeedsWhole:
    *diagnostic << " takes a part of " << subject.name
                << ", but works on more than single elements: a part lacks what the whole tells; "
                   "gather both, or use an optimizer that works element by element";
    break;
  case PlaceFault::None:
    llvm_unreachable("no fault is reported");
  }
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// "rank 0", "ranks 0, 2".
static std::string spellRanks(ArrayRef<int64_t> ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  llvm::raw_string_ostream stream(text);
  constexpr size_t kMost = 4;
  llvm::interleaveComma(ranks.take_front(kMost), stream);
  if (ranks.size() > kMost)
    stream << ", ...";
  return text;
}

void PlaceJudge::reportSource(const Subject &subject, const Source &source) {
  std::string what = source.input ? ("input \"" + source.input.getValue() + "\"").str()
                                  : "a variable of each rank's own";
  Operation *at = source.exchanger ? source.exchanger : source.chooser;
  auto diagnostic = error(at, subject);
  if (!diagnostic)
    return;
  if (source.exchanger) {
    *diagnostic << " takes another rank's part of what was gathered of " << what << ", of which "
                << subject.name << " is made; cut at the rank times the length of a rank's part";
    return;
  }
  *diagnostic << " takes " << what << " of " << spellRanks(source.some) << " alone, and "
              << subject.name
              << " is made of it: what the other ranks have is lost; use each rank's own part";
}

bool PlaceJudge::judgeSources(const Subject &subject, const Place &place) {
  for (const Source &source : place.sources) {
    bool isLeftOut = !source.isOwn && !source.isAll && !source.some.empty() &&
                     static_cast<int64_t>(source.some.size()) != places.getWorldSize();
    if (!isLeftOut && !source.exchanger)
      continue;
    reportSource(subject, source);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

void PlaceJudge::remarkHidden(const Subject &subject, Operation *gather) {
  if (told.insert(gather).second)
    remark::analysis(gather->getLoc(), remarkBy(pass, program.step))
        << (subject.name + ": it is not known where its parts lie after " + quoted(gather));
}

/// Whether there was an error.
bool PlaceJudge::judge(const Subject &subject, const Place &place, bool mayChoose) {
  if (place.fault != PlaceFault::None) {
    reportFault(subject, place.fault, place.faultOp);
    return true;
  }
  if (!mayChoose && judgeSources(subject, place))
    return true;
  if (place.hiddenBy)
    remarkHidden(subject, place.hiddenBy);
  return false;
}

/// Whether the part of a variable becomes what that part of the whole would.
static bool updatesPart(OptimizerOpInterface optimizer, const Place &variable) {
  bool isOfRows = llvm::all_of(variable.cuts, [](const Cut &cut) { return cut.dim == 0; });
  return isPointwise(optimizer) || (isOfRows && isRowwise(optimizer));
}

/// Variable and gradient of one update are of one place.
void PlaceJudge::judgeUpdate(OptimizerOpInterface optimizer, const Subject &gradient) {
  train::VariableAttr role = findUpdatedVariable(optimizer);
  std::string name = role ? ("variable \"" + role.getName() + "\"").str() : "the variable";
  Subject variable{optimizer.getVariable(), name, optimizer};
  const Place &left = places.getPlace(variable.value), &right = places.getPlace(gradient.value);
  if (judge(gradient, right))
    return;
  if (const Cut *odd = right.findOddCut())
    return reportOddCut(gradient, *odd);
  if (const Cut *odd = left.findOddCut())
    return reportOddCut(variable, *odd);
  if (left.fault != PlaceFault::None)
    return reportFault(variable, left.fault, left.faultOp);
  if (left.kind == Place::Shard && !updatesPart(optimizer, left) && !left.isOfBatch)
    return reportFault(gradient, PlaceFault::NeedsWhole, optimizer);
  bool areParts = left.kind == Place::Shard && right.kind == Place::Shard;
  if (areParts && !llvm::equal(left.cuts, right.cuts) && !right.isOfBatch)
    return reportFault(gradient, PlaceFault::MixedParts, optimizer);
  bool isOfPart = left.kind == Place::Shard && right.kind == Place::Replicate;
  if (isOfPart && !right.isEven && !right.isOfBatch)
    reportFault(gradient, PlaceFault::MixedWhole, optimizer);
}

/// What a rank hands on as its part of a variable is that part.
void PlaceJudge::judgeShard(const Subject &subject, const Place &place) {
  if (place.kind != Place::Shard)
    return;
  if (const Cut *odd = place.findOddCut())
    return reportOddCut(subject, *odd);
  Cut first = place.cuts.front();
  bool isOfWorld = place.cuts.size() == 1 && first.dim == 0 && first.group.isOfWholeWorld();
  if (!isOfWorld && first.by)
    reportFault(subject, PlaceFault::Scrambled, first.by);
}

void PlaceJudge::judgeVariables(func::FuncOp function, const RankLayouts &places) {
  for (VariableResult variable : getVariableResults(function)) {
    Subject subject =
        subjectOfResult(*variable.value, ("variable \"" + variable.role.getName() + "\"").str());
    bool isLeftToAuthor = variable.role.getVariableClass() == train::VariableClass::Other ||
                          variable.role.getPlacement() == train::VariablePlacement::PerRank;
    if (isLeftToAuthor)
      continue;
    const Place &place = places.getPlace(subject.value);
    bool mayChoose = variable.role.getVariableClass() != train::VariableClass::Trainable;
    if (judge(subject, place, mayChoose))
      continue;
    if (variable.role.getPlacement() == train::VariablePlacement::Shard)
      judgeShard(subject, place);
    else if (place.list)
      remarkHidden(subject, place.list->by);
  }
}

void PlaceJudge::judgeStep() {
  for (const Subject &subject : findGradientSubjects(program.step))
    if (auto optimizer = dyn_cast<OptimizerOpInterface>(subject.user);
        optimizer && !subject.isMarked)
      judgeUpdate(optimizer, subject);
    else
      judge(subject, places.getPlace(subject.value));
  if (!hasFailed) // the variables would fail for the same reason
    judgeVariables(program.step, places);
}

LogicalResult tutti::distribution::verifyPlaces(Program program,
                                                const UniformityAnalysis &uniformity,
                                                const RankLayouts &step, StringRef pass) {
  bool isDistributed = !program.module.getOps<GroupOpInterface>().empty();
  if (!isDistributed || findWorldSize(program.module) == 1)
    return success(); // one rank has all of everything
  PlaceJudge judge(program, step, pass);
  judge.judgeStep();
  judge.judgeVariables(program.initialize, RankLayouts(program.initialize, uniformity));
  return failure(judge.failed());
}
