// Finding pulls that do not depend on each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/ps/PullGroup.h"

#include "dialects/ps/Ps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;

/// Whether pulls after `op` may see other tables than pulls before it.
static bool mayPush(Operation *op) {
  if (isa<ps::PullRowsOp, ps::PullOp>(op))
    return false;
  bool pushes = false;
  op->walk([&](Operation *inner) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    SmallVector<MemoryEffects::EffectInstance> found;
    if (effects)
      effects.getEffects(found);
    pushes |= llvm::any_of(found, [](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             effect.getResource() == ps::TablesResource::get();
    });
  });
  return pushes;
}

/// What must stand before `place` so that `pull` can, in its order; none if it cannot.
static std::optional<SmallVector<Operation *>> findMoves(Operation *pull, Operation *place) {
  SmallVector<Operation *> moves;
  llvm::SetVector<Value> open(pull->operand_begin(), pull->operand_end());
  for (size_t next = 0; next < open.size(); ++next) {
    Operation *op = open[next].getDefiningOp();
    bool isThere =
        !op || op->getBlock() != place->getBlock() || (op != place && op->isBeforeInBlock(place));
    if (isThere || llvm::is_contained(moves, op))
      continue;
    if (!isMemoryEffectFree(op))
      return std::nullopt;
    moves.push_back(op);
    open.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), open);
  }
  llvm::sort(moves, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return moves;
}

SmallVector<conversion::PullGroup> conversion::groupPulls(Block &block) {
  SmallVector<PullGroup> groups;
  bool isOpen = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (mayPush(&op))
      isOpen = false;
    if (!isa<ps::PullRowsOp, ps::PullOp>(op))
      continue;
    std::optional<SmallVector<Operation *>> moves;
    if (isOpen)
      moves = findMoves(&op, groups.back().front());
    if (!moves)
      groups.emplace_back();
    else
      for (Operation *needed : *moves)
        needed->moveBefore(groups.back().front());
    groups.back().push_back(&op);
    isOpen = true;
  }
  return groups;
}
