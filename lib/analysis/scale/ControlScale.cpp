// Loops, branches and asynchronous bodies in the interpretation of scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/scale/GradientScale.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tutti;

/// The number of turns of `loop`, if it is constant and not 0.
static std::optional<int64_t> countTurns(scf::ForOp loop) {
  std::optional<APInt> turns = loop.getStaticTripCount();
  return turns && !turns->isZero() ? turns->tryZExtValue() : std::nullopt;
}

/// Whether `yielded` is `carried` and something else added to it.
static bool addsTo(Value yielded, Value carried) {
  Operation *op = yielded.getDefiningOp();
  return isa_and_nonnull<arith::AddFOp>(op) && llvm::is_contained(op->getOperands(), carried);
}

/// Whether each turn of `loop` takes its part of a batch. Other loops add up what belongs together,
/// as those over the time steps of a recurrent layer do.
static bool takesMicroBatches(Operation *loop) {
  WalkResult found = loop->walk([](train::MicroBatchOp) { return WalkResult::interrupt(); });
  return found.wasInterrupted();
}

/// What is added up in `turns` turns, each of which adds `sum`.
RankScale GradientScaleAnalysis::accumulate(Operation *loop, RankScale sum,
                                            std::optional<int64_t> turns) {
  if (!takesMicroBatches(loop))
    return sum;
  if (!turns)
    sum.isCertain = false;
  else if (!sum.isFree)
    sum.turns *= static_cast<double>(*turns);
  sum.last = addEvent(ScaleEvent::Kind::Accumulated, loop, sum.last);
  return sum;
}

/// A loop's body is looked at twice: with what it starts from, and with what it hands on. What is
/// not the same after both is not known. Of loops in loops in loops that is more than twice; the
/// innermost ones of many are not looked at.
void GradientScaleAnalysis::visitLoop(Operation *op) {
  constexpr unsigned deepest = 6;
  if (depth == deepest)
    return visitUnknown(op);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  auto loop = cast<scf::ForOp>(op);
  Block &body = *loop.getBody();
  RankScale index = getFresh(loop.getInductionVar());
  set(loop.getInductionVar(), index);
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, get(init));
  visitBlock(body);
  auto yielded = cast<scf::YieldOp>(body.getTerminator()).getOperands();
  SmallVector<RankScale> first =
      llvm::map_to_vector(yielded, [&](Value value) { return get(value); });
  for (auto [argument, scale] : llvm::zip_equal(loop.getRegionIterArgs(), first))
    set(argument, scale);
  visitBlock(body);
  std::optional<int64_t> turns = countTurns(loop);
  for (auto [i, value] : llvm::enumerate(yielded)) {
    const RankScale &second = get(value);
    RankScale result = first[i];
    if (second.fault != ScaleFault::None)
      result.setFault(second.fault, second.faultOp, second.faultOther);
    if (!result.factor.hasEqualSizes(second.factor) || result.shares != second.shares)
      result.isCertain = false;
    result.isShared = second.isShared && first[i].isShared;
    Value carried = loop.getRegionIterArg(i);
    if (addsTo(value, carried) && get(loop.getInitArgs()[i]).isFree)
      result = accumulate(loop, result, turns);
    set(loop.getResult(i), result);
  }
}

/// The values that the regions of a branch yield.
static void visitBranch(scf::IfOp branch, llvm::function_ref<void(unsigned, Value, Value)> visit) {
  if (branch.getNumResults() == 0)
    return;
  auto yes = branch.thenYield().getOperands(), no = branch.elseYield().getOperands();
  for (unsigned i = 0; i < branch.getNumResults(); ++i)
    visit(i, yes[i], no[i]);
}

bool GradientScaleAnalysis::visitControl(Operation *op) {
  if (isa<scf::ForOp>(op)) {
    visitLoop(op);
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        visitBlock(block);
    visitBranch(branch, [&](unsigned index, Value yes, Value no) {
      RankScale chosen = choose({get(yes), get(no)});
      chosen.isShared = chosen.isShared && uniformity.isUniform(branch.getResult(index));
      set(branch.getResult(index), chosen);
    });
    return true;
  }
  if (isa<CommunicationStartOpInterface>(op) && op->getNumRegions() == 1) {
    visitBlock(op->getRegion(0).front());
    return true;
  }
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  if (done && findStart(done)) {
    for (OpResult output : op->getResults())
      if (Value promised = findPromised(done, output.getResultNumber()))
        set(output, get(promised));
    return true;
  }
  return false;
}
