// Divides uses of values into those of the forward and those of the backward pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sharding/UseRegions.h"

#include "dialects/train/Train.h"
#include "lib/program/GradientChain.h"
#include "lib/program/Program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

UseRegions::UseRegions(func::FuncOp function) : function(function) { findForward(); }

/// What `value` is made of: operands, and what a loop hands on from turn to turn.
static void forEachSource(Value value, llvm::function_ref<void(Value)> visit) {
  Operation *op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = dyn_cast_or_null<scf::ForOp>(op ? op : argument.getOwner()->getParentOp());
  if (loop && (op || argument.getArgNumber() > 0)) {
    unsigned carried = op ? cast<OpResult>(value).getResultNumber() : argument.getArgNumber() - 1;
    visit(loop.getInitArgs()[carried]);
    visit(loop.getYieldedValues()[carried]);
  } else if (op) {
    op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
  }
}

/// From metrics and outputs back, but not through reduced gradients: what is told of these is no
/// forward pass.
void UseRegions::findForward() {
  auto gradients = findReducedGradients(function->getParentOfType<ModuleOp>());
  SmallVector<Value> open;
  llvm::DenseSet<Value> seen;
  auto visit = [&](Value value) {
    if (!gradients.contains(value) && seen.insert(value).second)
      open.push_back(value);
  };
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &returned : end->getOpOperands()) {
    train::VariableAttr role = getVariable(function, returned.getOperandNumber());
    if (!role || role.getVariableClass() == train::VariableClass::Other)
      visit(returned.get());
  }
  forward.insert(end);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (Operation *op = value.getDefiningOp())
      forward.insert(op);
    forEachSource(value, visit);
  }
}

static bool isMicroBatchLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && !loop.getBody()->getOps<train::MicroBatchOp>().empty();
}

/// `user`, or what stands around it, in the function or in a loop over micro-batches.
Operation *UseRegions::getPlace(Operation *user) const {
  Operation *place = user;
  for (Operation *around = user->getParentOp(); around != function; around = around->getParentOp())
    if (!isMicroBatchLoop(around))
      place = around;
  return place;
}

SmallVector<UseRegion> UseRegions::find(Value value) const {
  llvm::MapVector<llvm::PointerIntPair<Block *, 1, bool>, UseRegion> regions;
  for (OpOperand &use : value.getUses()) {
    Operation *place = getPlace(use.getOwner());
    bool isForward = forward.contains(place);
    UseRegion &region = regions[{place->getBlock(), isForward}];
    region.isForward = isForward;
    region.number = 2 * (place->getParentOp() != function) + !isForward;
    region.uses.push_back(&use);
    if (!region.first || place->isBeforeInBlock(region.first))
      region.first = place;
  }
  auto found = llvm::map_to_vector(regions, [](auto &entry) { return std::move(entry.second); });
  llvm::stable_sort(found, [](auto &a, auto &b) { return a.isForward && !b.isForward; });
  return found;
}

/// Whether `op` gives the elements of its one operand that is no constant, converted or moved.
static bool isRearranged(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  Value source;
  for (Value operand : op->getOperands()) {
    if (matchPattern(operand, m_Constant()))
      continue;
    if (source && source != operand)
      return false;
    source = operand;
  }
  auto from = source ? dyn_cast<RankedTensorType>(source.getType()) : RankedTensorType();
  auto to = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  return from && to && from.hasStaticShape() && to.hasStaticShape() &&
         from.getNumElements() == to.getNumElements();
}

unsigned UseRegions::recompute(Operation *op) {
  unsigned added = 0;
  bool isOwnForward = forward.contains(op);
  for (UseRegion &region : find(op->getResult(0))) {
    if (region.first->getBlock() == op->getBlock() && region.isForward == isOwnForward)
      continue;
    OpBuilder builder(region.first);
    Operation *again = builder.clone(*op);
    if (region.isForward)
      forward.insert(again);
    for (OpOperand *use : region.uses)
      use->set(again->getResult(0));
    ++added;
  }
  if (op->use_empty()) {
    forward.erase(op);
    op->erase();
  }
  return added;
}

unsigned UseRegions::recompute(ArrayRef<Value> values) {
  SmallVector<Operation *> rearranged; // users after what they use
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> open(values);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    for (Operation *user : value.getUsers())
      if (isRearranged(user) && seen.insert(user).second) {
        rearranged.push_back(user);
        open.push_back(user->getResult(0));
      }
  }
  unsigned added = 0;
  for (Operation *op : llvm::reverse(rearranged))
    added += recompute(op);
  return added;
}
