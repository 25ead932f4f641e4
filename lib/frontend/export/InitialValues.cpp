// Looks through broadcasts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/InitialValues.h"

#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/collective/Collective.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

void tutti::frontend::addProducers(Value value, llvm::DenseSet<Operation *> &found) {
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && found.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
}

/// What is random is the same on all ranks if it has a seed.
static bool isEqualOnAllRanks(Operation *op) {
  bool isCollective = op->getName().getDialectNamespace() == "collective";
  return op->hasAttr("seed") || (isMemoryEffectFree(op) && !isCollective);
}

FailureOr<Value> tutti::frontend::findInitialValue(Value result) {
  Value sent = result;
  while (auto broadcast = sent.getDefiningOp<collective::BroadcastOp>())
    sent = broadcast.getInputs()[cast<OpResult>(sent).getResultNumber()];
  if (sent == result)
    return result;
  llvm::DenseSet<Operation *> producers;
  addProducers(sent, producers);
  for (Operation *op : producers)
    if (!isEqualOnAllRanks(op))
      return refuseExport(result.getDefiningOp(),
                          "ONNX Runtime has no broadcast, and '" + op->getName().getStringRef() +
                              "' gives each rank another value; give it a seed");
  return sent;
}
