// The pipeline that makes an explicit training step: --train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PIPELINES_H
#define TUTTI_PASSES_GRADIENT_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace tutti::gradient {

/// Adds the passes of `--train="RECIPE"`; `recipe` has the options of train-apply-recipe as text.
/// Fails through `emitError` when it cannot be parsed.
llvm::LogicalResult
buildTrainPipeline(mlir::OpPassManager &passes, llvm::StringRef recipe,
                   llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> emitError);

/// Adds what `--train` does after the recipe: for programs that have a step, but with
/// train.gradient in it.
void buildGradientPipeline(mlir::OpPassManager &passes);

/// Registers `--train`.
void registerGradientPipelines();

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_PIPELINES_H
