// Which variables of a forward graph a recipe trains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_TRAINEDVARIABLES_H
#define TUTTI_PASSES_GRADIENT_RECIPE_TRAINEDVARIABLES_H

#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/recipe/Recipe.h"

namespace tutti::gradient {

/// The indices of the variables of `forward` that `recipe` trains: those of class trainable, or
/// those that `trainable` chooses, scalars too; without those that `freeze` chooses and those that
/// no loss can depend on. These have the class trainable in `forward` and in `initialize`
/// afterwards, others have not. A remark lists each group. Fails with a diagnostic when a glob
/// matches nothing, or nothing is left.
mlir::FailureOr<llvm::SmallVector<unsigned>>
chooseTrained(ForwardFunction forward, mlir::func::FuncOp initialize, const Recipe &recipe);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_TRAINEDVARIABLES_H
