// The pipeline that makes an explicit training step: --train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PIPELINES_H
#define TUTTI_PASSES_GRADIENT_PIPELINES_H

#include "passes/gradient/recipe/Recipe.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace tutti::gradient {

/// Adds the passes that make an explicit training step (see the train dialect) of `@forward`, a
/// model: loss, gradients, optimizer. The error says what in `recipe` makes no sense, by the names
/// of its keys; `passes` is unchanged then. The context needs `registerGradient`. Nothing of the
/// process is asked or changed.
llvm::Error addTrainPipeline(mlir::OpPassManager &passes, const Recipe &recipe);

/// Adds what `addTrainPipeline` does after the recipe: for programs that have a step, but with
/// train.gradient in it.
void addGradientPipeline(mlir::OpPassManager &passes);

/// The pass `train-apply-recipe`, for pipelines of one's own.
llvm::Expected<std::unique_ptr<mlir::Pass>> createApplyRecipePass(const Recipe &recipe);

/// addTrainPipeline of a recipe as text, `--train="RECIPE"`, for tools.
llvm::LogicalResult addTrainPipeline(mlir::OpPassManager &passes, llvm::StringRef recipe,
                                     options::Complain complain);

/// Registers `--train`.
void registerGradientPipelines();

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_PIPELINES_H
