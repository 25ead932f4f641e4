// What orders communication, and which blocks all ranks enter alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/CollectiveMotion.h"

#include "dialects/collective/Effects.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/Trust.h"
#include "lib/analysis/order/Communicating.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// Whether the operation by itself, without its regions and callees, writes `Resource`.
template <typename Resource> static bool writes(Operation *op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getResource() == Resource::get();
  });
}

/// Whether the operation by itself changes the network or the group table: by its effects or, where
/// it is of a dialect that does not know these, by what it communicates. Whatever happens to a
/// collective on the whole world happens on all ranks.
static bool changesCommunication(Operation *op) {
  if (writes<NetworkResource>(op) || writes<GroupTableResource>(op))
    return true;
  std::optional<CommunicationForm> form = getForm(op);
  if (!form || !movesData(form->kind))
    return form.has_value();
  GroupOpInterface group = findGroup(op, form->group);
  return !group || !group.isOfWholeWorld();
}

/// Collectives that move data, which all that enter their block issue in its order, and awaits.
static bool isInOrderOfBlock(Operation *op) {
  return isa<BucketOpInterface, CommunicationDoneOpInterface>(op) || movesData(op);
}

bool tutti::ordersCommunication(Operation *op) {
  if (isa<CommunicationStartOpInterface>(op)) {
    // Its collectives are issued in the order of the block, too.
    if (op->getNumRegions() == 0)
      return !isInOrderOfBlock(op) && changesCommunication(op);
    Region &body = op->getRegion(0);
    return llvm::any_of(body.getOps(), [](Operation &inner) {
      return !isInOrderOfBlock(&inner) && changesCommunication(&inner);
    });
  }
  return !isInOrderOfBlock(op) && holdsWithin(op, changesCommunication, /*ofUnknown=*/true);
}

/// Whether nothing that orders communication stands between two operations of one block.
static bool areInOneStretch(Operation *one, Operation *other) {
  if (one->getBlock() != other->getBlock())
    return false;
  Operation *first = one->isBeforeInBlock(other) ? one : other;
  Operation *last = first == one ? other : one;
  for (Operation *op = first == last ? last : first->getNextNode(); op != last;
       op = op->getNextNode())
    if (ordersCommunication(op))
      return false;
  return true;
}

bool tutti::meansSameRanks(FlatSymbolRefAttr group, Operation *one, Operation *other) {
  GroupOpInterface found = findGroup(one, group);
  bool isDeclared = found && found.getGroupForm().kind != GroupForm::AtRunTime;
  return isDeclared || areInOneStretch(one, other);
}

/// Whether `value` is the number of this rank in the group of `op`.
static bool isRank(Value value, BucketOpInterface op) {
  RankQueryOpInterface rank = findQuestion(value, RankQuestion::Rank);
  return rank && rank.getQuestion().group == op.getGroupAttr() &&
         meansSameRanks(op.getGroupAttr(), rank, op);
}

bool tutti::isOffsetOfOwnPart(OpFoldResult offset, int64_t length, BucketOpInterface op) {
  auto value = dyn_cast<Value>(offset);
  if (!value)
    return false;
  Operation *product = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulIOp, index::MulOp>(product))
    return length == 1 && isRank(value, op);
  Value one = product->getOperand(0), other = product->getOperand(1);
  return (isRank(one, op) && getConstantIntValue(other) == length) ||
         (isRank(other, op) && getConstantIntValue(one) == length);
}

CollectiveMotion::CollectiveMotion(Operation *module, const UniformityAnalysis &uniformity) {
  module->walk([&](Block *block) {
    if (block->empty() || isa<ModuleOp>(block->getParentOp()))
      return;
    Operation *any = &block->front();
    if (uniformity.getDivergence(any) || findUndefinedOrder(any))
      divergent.insert(block);
  });
}

Refusal CollectiveMotion::whyStays(Operation *op) const {
  if (op->hasAttr(kDistinct))
    return "it is collective.distinct: it is executed where, and as often as, the program says";
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  GroupOpInterface group =
      collective ? findGroup(op, collective.getGroupAttr()) : GroupOpInterface();
  bool isOfWorld = group && group.isOfWholeWorld(); // all ranks reach it, or the program is wrong
  if (!isOfWorld && divergent.contains(op->getBlock()))
    return "not all ranks reach it, and the others would communicate as before";
  return {};
}

bool CollectiveMotion::mayMove(Operation *op, Operation *place) const {
  return !whyStays(op) && areInOneStretch(op, place);
}
