// The walk: blocks, loops, branches, calls, and what is started and awaited.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

#include "lib/analysis/order/Communicating.h"
#include "lib/program/GradientChain.h"
#include "lib/program/MeshGroups.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tutti;

RankLayouts::RankLayouts(FunctionOpInterface function, const UniformityAnalysis &uniformity)
    : uniformity(uniformity), table(SymbolTable::getNearestSymbolTable(function->getParentOp())),
      worldSize(findWorldSize(table)),
      batchParts(worldSize ? *worldSize / program::partsOf(table) : 0), numbers(worldSize) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments()) {
    setPlace(argument, getArgument(function, argument.getArgNumber()));
    RankScale scale = getFresh(argument);
    scale.isFree = program::isRanksOwn(argument);
    setScale(argument, scale);
  }
  for (Block &block : function.getFunctionBody())
    visitBlock(block);
}

const RankLayouts::Known &RankLayouts::get(Value value) const {
  static const Known nothing;
  auto found = known.find(value);
  return found == known.end() ? nothing : *found->second;
}

RankLayouts::Known &RankLayouts::at(Value value) {
  Known *&where = known[value];
  return where ? *where : *(where = &kept.emplace_back());
}

void RankLayouts::set(Value value, const Known &other) { at(value) = Known(other); }

/// What all ranks have alike, and what was made of their own samples, is made of those of all.
void RankLayouts::setPlace(Value value, Place place) {
  if (place.kind == Place::Replicate)
    for (Source &source : place.sources)
      source.isAll |= std::exchange(source.isOwn, false);
  at(value).place = std::move(place);
}

void RankLayouts::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void RankLayouts::visit(Operation *op) {
  if (visitControl(op) || (op->getNumResults() == 0 && op->getNumRegions() == 0))
    return;
  placeResults(op);
  scaleResults(op);
}

bool tutti::isScalar(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return !type || (type.hasRank() && type.getRank() == 0);
}

void tutti::forEachTaken(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner == op || !op->isAncestor(operand.getParentBlock()->getParentOp()))
        visit(operand);
  });
}

/// Whether values may cross ranks in a region or a function, into which this does not look.
bool RankLayouts::mayCommunicate(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  Operation *inside = call ? call.resolveCallable() : op->getNumRegions() != 0 ? op : nullptr;
  if (!inside)
    return false;
  auto [known, isNew] = communicating.try_emplace(inside, false);
  if (isNew)
    known->second = communicates(inside);
  return known->second;
}

/// A loop's body is looked at twice: with what it starts from, and with what it hands on. What is
/// multiplied by something else after both is not known. Of loops in loops in loops that is more
/// than twice; the innermost ones of many are not looked at.
bool RankLayouts::visitLoop(scf::ForOp loop) {
  constexpr unsigned deepest = 6;
  if (depth == deepest)
    return false;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  Block &body = *loop.getBody();
  setPlace(loop.getInductionVar(), begin(loop.getInductionVar(), Place::Own));
  setScale(loop.getInductionVar(), getFresh(loop.getInductionVar()));
  auto yielded = cast<scf::YieldOp>(body.getTerminator()).getOperands();
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, get(init));
  visitBlock(body);
  auto first = llvm::map_to_vector(yielded, [&](Value value) { return getScale(value); });
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    setPlace(argument, join(getPlace(loop.getInitArgs()[i]), getPlace(yielded[i]), argument));
    setScale(argument, first[i]);
  }
  visitBlock(body);
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    setPlace(result, join(getPlace(loop.getInitArgs()[i]), getPlace(yielded[i]), result));
    setScale(result, repeat(loop, i, first[i]));
  }
  return true;
}

/// Where lies what one of several regions yields, each of one block that ends with as many values
/// as there are results.
bool RankLayouts::visitRegions(Operation *op) {
  SmallVector<ValueRange> yielded;
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock() || region.front().getNumArguments() != 0)
      return false;
    visitBlock(region.front());
    yielded.push_back(region.front().getTerminator()->getOperands());
    if (yielded.back().size() != op->getNumResults())
      return false;
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Place place = getPlace(yielded.front()[i]);
    for (ValueRange values : ArrayRef(yielded).drop_front())
      place = join(place, getPlace(values[i]), result);
    setPlace(result, std::move(place));
  }
  scaleUnknown(op);
  return true;
}

/// A function of one block is looked at with what it is called with, a few times at most.
bool RankLayouts::visitCall(CallOpInterface call) {
  constexpr unsigned most = 4;
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  bool isKnown = callee && !callee.isExternal() && callee.getFunctionBody().hasOneBlock() &&
                 callee.getNumArguments() == call.getArgOperands().size();
  if (!isKnown || callsOf[callee]++ >= most)
    return false;
  Block &body = callee.getFunctionBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), call.getArgOperands()))
    set(argument, get(operand));
  visitBlock(body);
  ValueRange returned = body.getTerminator()->getOperands();
  if (returned.size() != call->getNumResults())
    return false;
  for (auto [result, value] : llvm::zip_equal(call->getResults(), returned))
    setPlace(result, join(getPlace(value), getPlace(value), result));
  scaleUnknown(call);
  return true;
}

bool RankLayouts::visitControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        visitBlock(block);
    for (auto [i, result] : llvm::enumerate(branch.getResults())) {
      const Known &yes = get(branch.thenYield().getOperand(i)),
                  &no = get(branch.elseYield().getOperand(i));
      setPlace(result, choose(op, branch.getCondition(), yes.place, no.place, result));
      RankScale scale = choose({yes.scale, no.scale});
      scale.isShared = scale.isShared && uniformity.isUniform(result);
      setScale(result, scale);
    }
    return true;
  }
  if (isa<CommunicationStartOpInterface>(op) && op->getNumRegions() == 1) {
    visitBlock(op->getRegion(0).front());
    return true;
  }
  if (isa<scf::ExecuteRegionOp, scf::IndexSwitchOp>(op))
    return visitRegions(op);
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call);
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  if (!done || !findStart(done))
    return false;
  for (OpResult output : op->getResults())
    if (Value promised = findPromised(done, output.getResultNumber()))
      set(output, get(promised));
  return true;
}
