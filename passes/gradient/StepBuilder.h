// Builds @step and @evaluate of a program from its @forward, with its layers in the mode of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_STEPBUILDER_H
#define TUTTI_PASSES_GRADIENT_STEPBUILDER_H

#include "passes/gradient/recipe/Recipe.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tutti::gradient {

/// Replaces @forward of `program` by @step and @evaluate as `recipe` says, and extends @initialize.
/// Fails with a diagnostic when the graph does not fit the recipe; then the program is left half
/// built.
mlir::LogicalResult buildStep(mlir::ModuleOp program, const Recipe &recipe);

/// Puts the layers of `function` that work differently in training (batch normalization, dropout)
/// into training mode, whatever mode they were exported in. `newValues` has one entry per argument,
/// the argument itself to begin with; running statistics that are arguments get their updated
/// values there. A layer that is used twice updates its statistics twice, in order.
void setTrainingMode(mlir::FunctionOpInterface function,
                     llvm::MutableArrayRef<mlir::Value> newValues);

/// Puts these layers into inference mode.
void setInferenceMode(mlir::FunctionOpInterface function);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_STEPBUILDER_H
