// Roles in a step for several ranks: collectives, and loops over micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/SampleRoles.h"

#include "dialects/collective/Wire.h"
#include "dialects/train/Train.h"
#include "lib/layout/Transfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tutti;

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// What a reduction over all ranks makes of what they have. Where their parts are equal, a sum of
/// values that are too large by 1/share to the power s is too large by as much.
static Layout reduceOverRanks(const Layout &given, Reduction reduction, bool areUnequal) {
  bool isMean = reduction == Reduction::Mean;
  if (areUnequal && (given.scale != 0 || isMean))
    return given.isWhole() ? given : Layout::own();
  if (given.isPartial() && !isMean && given.reduction == reduction)
    return Layout::replicate(given.scale);
  if (given.isSum() && isMean)
    return Layout::replicate(given.scale + -1);
  if (!given.isReplicate())
    return Layout::own();
  return given.withScale(given.scale + (reduction == Reduction::Sum));
}

static Layout exchange(const CommunicationForm &form, const Layout &given, bool areUnequal) {
  switch (form.kind) {
  case CommunicationKind::AllReduce:
    return reduceOverRanks(given, *form.reduction, areUnequal);
  case CommunicationKind::ReduceScatter: {
    Layout reduced = reduceOverRanks(given, *form.reduction, areUnequal);
    return reduced.isReplicate() ? Layout::shard(form.axis, reduced.scale) : Layout::own();
  }
  case CommunicationKind::AllGather:
    return given.isShard() && given.dimension == form.axis && given.outer == 1
               ? Layout::replicate(given.scale)
               : Layout::own();
  default:
    return Layout::own();
  }
}

/// What was started is what it would be in its place.
bool SampleRoles::visitStarted(Operation *op) {
  if (isa<CommunicationStartOpInterface>(op) && op->getNumRegions() == 1 &&
      op->getRegion(0).hasOneBlock()) {
    for (Operation &inner : op->getRegion(0).front())
      if (!inner.hasTrait<OpTrait::IsTerminator>())
        visit(&inner);
    return true;
  }
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  if (!done)
    return false;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Value promised = findPromised(done, index);
    set(op, result, promised ? get(promised) : Layout::own());
  }
  return true;
}

/// What a wire carries is rounded, as its keys ask for, and is what it was before.
bool SampleRoles::visitWire(Operation *op) {
  if (!op->hasAttr(collective::kWire) || !isa<arith::TruncFOp, arith::ExtFOp>(op))
    return false;
  set(op, op->getResult(0), get(op->getOperand(0)));
  return true;
}

/// A slice at an offset of the rank's own, of a row of elements that all ranks have alike, is the
/// rank's part of it. RankLayouts checks that it lies at the rank's place.
bool SampleRoles::visitPartOfElements(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice || slice.getType().getRank() != 1 || slice.getSourceType().getRank() != 1 ||
      slice.getOffsets().size() != 1 || !slice.getSizes().empty() || !slice.getStrides().empty())
    return false;
  Layout given = get(slice.getSource());
  if (!given.isReplicate() || !get(slice.getOffsets().front()).isOwn())
    return false;
  set(op, op->getResult(0), Layout::shard(0, given.scale));
  return true;
}

bool SampleRoles::visitCommunication(Operation *op) {
  if (visitStarted(op) || visitWire(op) || visitPartOfElements(op))
    return true;
  auto ofRanks = [&](int share) { return Layout::replicate({share, turns ? -share : 0}); };
  if (auto query = dyn_cast<RankQueryOpInterface>(op)) {
    GroupOpInterface group = findGroup(op, query.getQuestion().group);
    bool isSize = query.getQuestion().kind == RankQuestion::Size;
    bool isWorld = group && group.isOfWholeWorld();
    set(op, op->getResult(0), isSize && isWorld ? ofRanks(1) : Layout::own());
    return true;
  }
  if (isa<train::BatchWeightOp>(op))
    return set(op, op->getResult(0), ofRanks(-1)), true;
  if (auto piece = dyn_cast<train::PieceOp>(op)) { // of this rank, as it is the only one there is
    bool isOfRank = bool(findQuestion(piece.getIndex(), RankQuestion::Rank));
    Layout given = get(piece.getWhole());
    set(op, piece.getResult(),
        isOfRank && given.isReplicate() ? Layout::shard(piece.getAxis(), given.scale)
                                        : Layout::own());
    return true;
  }
  std::optional<CommunicationForm> form = getForm(op);
  if (!form)
    return false;
  GroupOpInterface group = findGroup(op, form->group);
  bool isKnown = group && group.isOfWholeWorld() && movesData(op) &&
                 op->getNumResults() == op->getNumOperands();
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    set(op, result,
        isKnown ? exchange(*form, get(op->getOperand(index)), areUnequal) : Layout::own());
  return true;
}

/// A list of rows stands for the table to which train.scatter_rows adds them. The lists of ranks,
/// joined, are the list of one device, also where each rank has merged its own before.
bool SampleRoles::visitRows(Operation *op) {
  auto merge = dyn_cast<train::MergeRowsOp>(op);
  if (!merge)
    return false;
  Layout indices = get(merge.getIndices()), rows = get(merge.getRows());
  Layout count = merge.getCount() ? get(merge.getCount()) : Layout::replicate();
  bool isList = indices == rows.withScale(0) && count.isReplicate() &&
                (rows.isReplicate() || (rows.isShard() && rows.dimension == 0));
  set(op, merge.getMergedIndices(), isList ? indices : Layout::own());
  set(op, merge.getMergedRows(),
      isList ? rows.withScale(rows.scale + -count.scale) : Layout::own());
  return true;
}

//===----------------------------------------------------------------------===//
// Micro-batches
//===----------------------------------------------------------------------===//

int64_t tutti::countMicroBatches(scf::ForOp loop) {
  for (auto part : loop.getBody()->getOps<train::MicroBatchOp>())
    if (part.getIndex() == loop.getInductionVar())
      return part.getParts();
  return 0;
}

/// A turn takes its samples of those of the rank, or puts back what it made of them.
bool SampleRoles::visitMicroBatch(Operation *op) {
  if (auto part = dyn_cast<train::MicroBatchOp>(op)) {
    Layout given = get(part.getBatch());
    bool isWhole = !given.isShard() || given.dimension != 0 || given.outer != 1;
    set(op, part.getResult(), isWhole ? Layout::own() : given);
    return true;
  }
  auto put = dyn_cast<train::PutMicroBatchOp>(op);
  if (!put)
    return false;
  Layout part = get(put.getPart()), whole = get(put.getWhole());
  bool fits = part.isShard() && part.dimension == 0 && part == whole;
  set(op, put.getResult(), fits ? whole : Layout::own());
  return true;
}

/// Multiplied or divided by the number of turns, or divided by that of ranks.
bool SampleRoles::visitNumberScale(Operation *op) {
  auto scale = dyn_cast<train::ScaleOp>(op);
  DenseFPElementsAttr number;
  if (!scale || !matchPattern(scale.getFactor(), m_Constant(&number)))
    return false;
  auto factor = number.getSplatValue<APFloat>();
  Layout given = get(scale.getInput());
  if (foldedRanks > 1 && !given.isOwn() && given.scale.share > 0 &&
      isRounded(factor, 1.0 / double(foldedRanks))) {
    set(op, scale.getResult(), given.withScale(given.scale + Scale(-1, turns ? 1 : 0)));
    return true;
  }
  if (!turns)
    return false;
  bool multiplies = isRounded(factor, double(turnCount)),
       divides = isRounded(factor, 1.0 / double(turnCount));
  if ((!multiplies && !divides) || given.isOwn())
    return false;
  set(op, scale.getResult(), given.withScale(given.scale + Scale(0, multiplies ? 1 : -1)));
  return true;
}

/// The layouts that a value which begins as `start` may have in the turns of a loop, the likely one
/// first. Zeros may become a sum: of means, each divided by the turns, or of numbers.
static SmallVector<Layout> guessCarried(Value start, const Layout &given, bool hasTurns) {
  if (!isZero(start) || !given.isWhole())
    return {given, Layout::own()};
  return {Layout::partial(Reduction::Sum, {1, hasTurns ? -1 : 0}), Layout::partial(Reduction::Sum),
          given, Layout::own()};
}

/// What a value that is carried through all turns is after them: the shares of a rank, again.
static Layout leaveTurns(const Layout &carried) {
  bool fits = carried.scale.share + carried.scale.turns == 0;
  return fits ? carried.withScale(carried.scale.share) : Layout::own();
}

bool SampleRoles::visitLoop(Operation *op) {
  constexpr unsigned deepest = 4; // each looks several times at those in it
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || turns || depth == deepest)
    return false;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  int64_t count = countMicroBatches(loop);
  SmallVector<SmallVector<Layout>> guesses;
  for (Value start : loop.getInitArgs())
    guesses.push_back(guessCarried(start, get(start), count > 0));
  if (count > 0)
    turns = &loop.getRegion(), turnCount = count;
  Operation *end = loop.getBody()->getTerminator();
  bool isStable = false;
  for (unsigned round = 0, most = 6; !isStable; ++round) {
    if (round == most) // one hangs on the other: nothing is known
      guesses.assign(guesses.size(), {Layout::own()});
    for (auto [argument, guess] : llvm::zip_equal(loop.getRegionIterArgs(), guesses))
      layouts[argument] = guess.front();
    for (Operation &inner : loop.getBody()->without_terminator())
      visit(&inner);
    isStable = true;
    for (auto [yielded, guess] : llvm::zip_equal(end->getOperands(), guesses))
      if (!guess.front().isOwn() && !get(yielded).isAlso(guess.front()))
        guess.erase(guess.begin()), isStable = false;
  }
  turns = nullptr;
  for (auto [result, guess] : llvm::zip_equal(loop.getResults(), guesses))
    set(op, result, leaveTurns(guess.front()));
  return true;
}
