// The learning rate of a step that brings its own optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_STEP_RATEOFSTEP_H
#define TUTTI_PASSES_GRADIENT_STEP_RATEOFSTEP_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti::gradient {

/// Gives `rate` to each hyperparameter that an optimizer of @step takes as its learning rate. Fails
/// after a diagnostic if there is none.
llvm::LogicalResult setLearningRate(mlir::ModuleOp program, double rate);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_STEP_RATEOFSTEP_H
