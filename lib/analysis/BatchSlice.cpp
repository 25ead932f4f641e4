// Following a value back to the arguments of its function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/BatchSlice.h"

#include "dialects/train/ValueRoles.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/program/ValueNames.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using tutti::train::TrainDialect;

static llvm::Error because(const Twine &reason) { return llvm::createStringError(reason); }

/// Why an argument is not known before its step.
static tutti::Refusal whyNotBatch(func::FuncOp function, unsigned argument) {
  if (function.getArgAttr(argument, TrainDialect::kInput))
    return {};
  if (auto role =
          function.getArgAttrOfType<tutti::train::VariableAttr>(argument, TrainDialect::kVariable))
    return "variable \"" + role.getName().str() + "\"";
  return "argument " + std::to_string(argument);
}

llvm::Expected<SmallVector<Operation *>> tutti::findBatchSlice(func::FuncOp function, Value value) {
  llvm::SetVector<Value> open;
  llvm::SetVector<Operation *> found;
  open.insert(value);
  for (size_t next = 0; next < open.size(); ++next) {
    Value current = open[next];
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      if (auto refusal = whyNotBatch(function, argument.getArgNumber()))
        return because("depends on " + refusal.reason());
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!isMemoryEffectFree(op) || tutti::train::findRandom(op)) // drawn again it is another number
      return because("depends on " + tutti::program::describeNode(op));
    if (!found.insert(op)) // by another result
      continue;
    open.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), open);
  }
  SmallVector<Operation *> slice = found.takeVector();
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return slice;
}
