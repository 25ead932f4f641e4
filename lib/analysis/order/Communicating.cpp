// Communication spreads from operations to what holds them, and from functions to their calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/Communicating.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;

bool tutti::isCommunication(Operation *op) {
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  return isa<CollectiveOpInterface, PointToPointOpInterface>(op) ||
         (done && done.getAwaitedFuture());
}

Communicating::Communicating(Operation *module) {
  SmallVector<Operation *> found;
  SymbolTableCollection symbols;
  module->walk([&](Operation *op) {
    if (isCommunication(op))
      found.push_back(op);
    if (auto call = dyn_cast<CallOpInterface>(op))
      if (Operation *callee = call.resolveCallableInTable(&symbols))
        calls[callee].push_back(op);
  });
  for (Operation *op : found)
    add(op);
}

void Communicating::add(Operation *op) {
  SmallVector<Operation *> open = {op};
  while (!open.empty())
    for (Operation *at = open.pop_back_val(); at && ops.insert(at).second; at = at->getParentOp())
      if (auto found = calls.find(at); found != calls.end())
        open.append(found->second);
}

bool tutti::holdsWithin(Operation *op, llvm::function_ref<bool(Operation *)> is, bool ofUnknown) {
  llvm::SetVector<Operation *> places;
  places.insert(op);
  for (size_t i = 0; i < places.size(); ++i) {
    WalkResult result = places[i]->walk([&](Operation *inner) {
      if (is(inner))
        return WalkResult::interrupt();
      auto call = dyn_cast<CallOpInterface>(inner);
      auto callee = call ? dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable())
                         : FunctionOpInterface();
      if (callee && !callee.isExternal())
        places.insert(callee);
      else if (call && ofUnknown)
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

bool tutti::communicates(Operation *op) {
  return holdsWithin(op, isCommunication, /*ofUnknown=*/false);
}
