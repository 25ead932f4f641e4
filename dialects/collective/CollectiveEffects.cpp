// Memory effects of the operations: none of collectives on tensors; what they read and write, and
// the network, on memrefs; the network for messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

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

/// Reads the first `inputs` operands and writes the others; the network too, on memrefs.
static void addBufferEffects(BucketOpInterface op, Effects &effects) {
  if (op.getDestinations().empty())
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.getOperandNumber() < op.getInputs().size())
      readBuffer(operand, effects);
    else
      writeBuffer(operand, effects);
  writeNetwork(effects);
}

void AllReduceOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void ReduceOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void ReduceScatterOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void BroadcastOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void AllGatherOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void GatherOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void ScatterOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void AllToAllOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }

/// Reads everything but `init`.
static void addRowEffects(Operation *op, OpOperand &init, Effects &effects) {
  if (!isa<BaseMemRefType>(init.get().getType()))
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (&operand != &init)
      readBuffer(operand, effects);
  writeBuffer(init, effects);
  writeNetwork(effects);
}

void AllToAllVOp::getEffects(Effects &effects) { addRowEffects(*this, getInitMutable(), effects); }
void AllToAllVCOp::getEffects(Effects &effects) { addRowEffects(*this, getInitMutable(), effects); }

void SendOp::getEffects(Effects &effects) {
  for (OpOperand &input : getInputsMutable())
    readBuffer(input, effects);
  writeNetwork(effects);
}

void RecvOp::getEffects(Effects &effects) {
  for (OpOperand &destination : getDestinationsMutable())
    writeBuffer(destination, effects);
  writeNetwork(effects);
}

/// Without values it is there for memrefs, which nothing else orders.
void AwaitOp::getEffects(Effects &effects) {
  if (getOutputs().empty())
    writeNetwork(effects);
}

/// Always kept: what was started must be awaited.
void CompleteOp::getEffects(Effects &effects) {
  for (OpOperand &promised : getPromisedMutable())
    writeBuffer(promised, effects);
  for (OpOperand &kept : getKeptMutable())
    readBuffer(kept, effects);
  writeNetwork(effects);
}
