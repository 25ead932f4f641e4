// Goes from communication backward to what decides it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/Deciding.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tutti;

bool tutti::isWorthKnowing(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.hasStaticShape() && shaped.getNumElements() <= 64;
  return type.isIntOrIndexOrFloat();
}

Deciding::Deciding(const Communicating &communicating) : communicating(communicating) {
  for (Operation *op : communicating.getOps())
    execute(op);
  while (!open.empty())
    needOperands(open.pop_back_val());
}

void Deciding::need(Value value) {
  if (isWorthKnowing(value.getType()) && needed.insert(value).second)
    open.push_back(value);
}

/// Also needs what decides how `op` is executed.
void Deciding::execute(Operation *op) {
  if (!executed.insert(op).second)
    return;
  if (auto message = dyn_cast<PointToPointOpInterface>(op))
    need(message.getPeer());
  if (isKind(op, {CommunicationKind::CreateGroup}))
    llvm::for_each(op->getOperands(), [&](Value member) { need(member); });
  if (auto call = dyn_cast<CallOpInterface>(op))
    connectCall(call);
  if (op->getNumRegions() != 0)
    needControl(op);
}

/// What is handed to a result or a region is needed where that is; all other operands decide.
void Deciding::needControl(Operation *op) {
  RegionBranchSuccessorMapping successors;
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op))
    regions.getSuccessorOperandInputMapping(successors);
  auto connect = [&](Operation *from) {
    for (OpOperand &operand : from->getOpOperands()) {
      auto inputs = successors.find(&operand);
      if (inputs == successors.end())
        need(operand.get());
      else
        for (Value input : inputs->second)
          handed[input].push_back(operand.get());
    }
  };
  bool isFunction = isa<FunctionOpInterface>(op);
  if (!isFunction)
    connect(op);
  for (Region &region : op->getRegions()) {
    needBranches(region);
    for (Block &block : region)
      if (!isFunction && block.mightHaveTerminator() && block.back().getNumSuccessors() == 0)
        connect(block.getTerminator());
  }
}

void Deciding::needBranches(Region &region) {
  for (Block &block : region) {
    auto branch = block.empty() ? BranchOpInterface() : dyn_cast<BranchOpInterface>(block.back());
    if (!branch)
      continue;
    for (OpOperand &operand : branch->getOpOperands())
      if (auto argument = branch.getSuccessorBlockArgument(operand.getOperandNumber()))
        handed[*argument].push_back(operand.get());
      else
        need(operand.get());
  }
}

void Deciding::connectCall(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee || callee.isExternal())
    return;
  for (auto [argument, operand] : llvm::zip(callee.getArguments(), call.getArgOperands()))
    handed[argument].push_back(operand);
  for (Block &block : callee.getFunctionBody())
    if (block.mightHaveTerminator() && block.back().getNumSuccessors() == 0)
      for (auto [result, value] : llvm::zip(call->getResults(), block.back().getOperands()))
        handed[result].push_back(value);
}

void Deciding::needOperands(Value value) {
  Operation *op = value.getDefiningOp();
  Operation *around = op ? op : value.getParentBlock()->getParentOp();
  if (!isa<FunctionOpInterface>(around))
    execute(around);
  bool isComputed = op && op->getNumRegions() == 0 && !isCommunication(op);
  if (isComputed && (isPure(op) || isa<RankQueryOpInterface>(op)))
    llvm::for_each(op->getOperands(), [&](Value operand) { need(operand); });
  if (auto found = handed.find(value); found != handed.end())
    for (Value from : SmallVector<Value>(found->second))
      need(from);
}

ArrayRef<Operation *> Deciding::getOps(Block &block) {
  auto [entry, isNew] = ofBlocks.try_emplace(&block);
  if (isNew)
    for (Operation &op : block.without_terminator())
      if (executed.contains(&op))
        entry->second.push_back(&op);
  return entry->second;
}
