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
/// into training mode. A model that was exported in inference mode is so as a whole; where a layer
/// was in training mode, those normalizations that were not stay as they are, and so do those whose
/// statistics `isFrozen`. `newValues` has one entry per argument, the argument itself to begin
/// with; running statistics that are arguments get their updated values there. A layer that is used
/// twice updates its statistics twice, in order. Returns the normalizations that stay in inference
/// mode.
unsigned setTrainingMode(mlir::FunctionOpInterface function,
                         llvm::MutableArrayRef<mlir::Value> newValues,
                         llvm::function_ref<bool(mlir::Value)> isFrozen);

/// Puts these layers into inference mode.
void setInferenceMode(mlir::FunctionOpInterface function);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_STEPBUILDER_H
