// Finds hyperparameters by what uses them, whatever their names are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/step/RateOfStep.h"

#include "dialects/interfaces/Optimizer.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using train::HyperparameterAttr;
using train::TrainDialect;

LogicalResult tutti::gradient::setLearningRate(ModuleOp program, double rate) {
  auto step = program.lookupSymbol<func::FuncOp>("step");
  bool isSet = false;
  step.walk([&](OptimizerOpInterface optimizer) {
    auto argument = dyn_cast<BlockArgument>(optimizer.getLearningRate());
    if (!argument || argument.getOwner()->getParentOp() != step)
      return;
    unsigned index = argument.getArgNumber();
    auto old = step.getArgAttrOfType<HyperparameterAttr>(index, TrainDialect::kHyperparameter);
    if (!old)
      return;
    Builder builder(program.getContext());
    step.setArgAttr(index, TrainDialect::kHyperparameter,
                    HyperparameterAttr::get(program.getContext(), old.getName(),
                                            builder.getF64FloatAttr(rate)));
    isSet = true;
  });
  if (isSet)
    return success();
  return mlir::emitError(step.getLoc())
         << "recipe: learning-rate cannot be set: no optimizer of @step takes a hyperparameter as "
            "its learning rate";
}
