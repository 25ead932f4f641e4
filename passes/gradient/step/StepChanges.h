// What a recipe changes in any training step: means of variables, loss scaling, clipping.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_STEP_STEPCHANGES_H
#define TUTTI_PASSES_GRADIENT_STEP_STEPCHANGES_H

#include "passes/gradient/recipe/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tutti::gradient {

/// Adds for each trainable float variable `w` that @step changes the variable `w.ema`, which begins
/// as `w` does and of which each step makes decay * w.ema + (1 - decay) * w, with the `w` that it
/// returns. @evaluate takes it in place of `w`. To be called before `scaleLoss`, so that a step
/// that is skipped changes no mean. Fails with a diagnostic where @step trains no variable, or one
/// has the name already.
mlir::LogicalResult averageVariables(mlir::ModuleOp program, double decay);

/// Scales the value that @step of `program` differentiates for its optimizers, and unscales what
/// these get. A step whose gradients are not finite leaves every variable as it was. The step
/// reports the metric `skipped`, 0 or 1. A dynamic scale is a variable, `loss_scale`, and a metric
/// of this name. Fails with a diagnostic where an optimizer takes something else than a gradient of
/// train.gradient.
mlir::LogicalResult scaleLoss(mlir::ModuleOp program, const LossScale &scale);

/// Adds the global norm of the gradients that the optimizers of @step take. With `maxNorm` the
/// gradients are clipped to that norm. If `isReported`, the metric `gradient_norm` is the norm
/// before any clip, one of the program's own included. Without either, nothing is added. To be
/// called after `scaleLoss`. Fails with a diagnostic where gradients would be clipped twice, and
/// where @step has a metric of this name.
mlir::LogicalResult measureGradients(mlir::ModuleOp program, std::optional<double> maxNorm,
                                     bool isReported);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_STEP_STEPCHANGES_H
