// Memory effects of the operations, as the text of the dialect numbers them (E1 to E5): on buffers,
// on the network and on the table of groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Effects.h"

using namespace mlir;
using namespace tutti::collective;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void readBuffer(OpOperand &operand, Effects &effects) {
  if (isa<BaseMemRefType>(operand.get().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

static void writeBuffer(OpOperand &operand, Effects &effects) {
  if (isa<BaseMemRefType>(operand.get().getType()))
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

static void writeNetwork(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), NetworkResource::get());
}

/// Of what means a group by its name (E1).
static void readGroups(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GroupTableResource::get());
}

/// Of collectives on tensors (E3 to E5). Every rank reaches those on the whole world equally often,
/// or the program is wrong: whatever happens to one happens on all ranks.
static void communicateValues(CollectiveOpInterface op, Effects &effects) {
  readGroups(effects);
  GroupOp group = lookupGroup(op, op.getGroupAttr());
  if (!group || !group.isWholeWorld() || op->hasAttr(kDistinct) || op->hasAttr(kFuture))
    writeNetwork(effects);
}

/// Of collectives on memrefs (E2): they read the first `inputs` operands and write the others.
static void addBucketEffects(BucketOpInterface op, Effects &effects) {
  if (op.getDestinations().empty())
    return communicateValues(op, effects);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.getOperandNumber() < op.getInputs().size())
      readBuffer(operand, effects);
    else
      writeBuffer(operand, effects);
  readGroups(effects);
  writeNetwork(effects);
}

void AllReduceOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void ReduceOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void ReduceScatterOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void BroadcastOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void AllGatherOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void GatherOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void ScatterOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }
void AllToAllOp::getEffects(Effects &effects) { addBucketEffects(*this, effects); }

/// Reads everything but `init`, on memrefs.
static void addRowEffects(CollectiveOpInterface op, OpOperand &init, Effects &effects) {
  if (!isa<BaseMemRefType>(init.get().getType()))
    return communicateValues(op, effects);
  for (OpOperand &operand : op->getOpOperands())
    if (&operand != &init)
      readBuffer(operand, effects);
  writeBuffer(init, effects);
  readGroups(effects);
  writeNetwork(effects);
}

void AllToAllVOp::getEffects(Effects &effects) { addRowEffects(*this, getInitMutable(), effects); }
void AllToAllVCOp::getEffects(Effects &effects) { addRowEffects(*this, getInitMutable(), effects); }

void SendOp::getEffects(Effects &effects) {
  for (OpOperand &input : getInputsMutable())
    readBuffer(input, effects);
  readGroups(effects);
  writeNetwork(effects);
}

void RecvOp::getEffects(Effects &effects) {
  for (OpOperand &destination : getDestinationsMutable())
    writeBuffer(destination, effects);
  readGroups(effects);
  writeNetwork(effects);
}

/// Kept though nobody uses its values: what is started is awaited.
void AwaitOp::getEffects(Effects &effects) { writeNetwork(effects); }

void CompleteOp::getEffects(Effects &effects) {
  for (OpOperand &promised : getPromisedMutable())
    writeBuffer(promised, effects);
  for (OpOperand &kept : getKeptMutable())
    readBuffer(kept, effects);
  writeNetwork(effects);
}
