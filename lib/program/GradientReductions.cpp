// From each optimizer back to the reduction of its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/GradientReductions.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "lib/program/GradientChain.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

/// The reduction's result that became `gradient`, or null.
static Value findReduced(Value gradient) {
  while (!isa_and_nonnull<collective::AllReduceOp, collective::ReduceScatterOp>(
      gradient.getDefiningOp())) {
    OpOperand *from = getPassedOn(gradient);
    if (!from)
      return Value();
    gradient = from->get();
  }
  return gradient;
}

llvm::DenseMap<Value, GradientUse> program::findReducedGradients(ModuleOp module) {
  llvm::DenseMap<Value, GradientUse> gradients;
  module.walk([&](Operation *op) {
    auto optimizer = dyn_cast<OptimizerOpInterface>(op);
    auto mark = dyn_cast<train::MarkGradientOp>(op);
    if (!optimizer && !mark)
      return;
    Value gradient = optimizer ? optimizer.getGradientMutable().get() : mark.getGradient();
    Value reduced = findReduced(gradient);
    if (!reduced)
      return;
    GradientUse &use = gradients[reduced];
    if (!optimizer || use.optimizer)
      return;
    train::VariableAttr variable = findUpdatedVariable(optimizer);
    use = {optimizer, variable ? variable.getName().str() : ""};
  });
  return gradients;
}
