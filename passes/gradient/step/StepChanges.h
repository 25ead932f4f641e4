// Loss scaling and clipping, for any training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_LOSSSCALING_H
#define TUTTI_PASSES_GRADIENT_LOSSSCALING_H

#include "passes/gradient/recipe/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tutti::gradient {

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

#endif // TUTTI_PASSES_GRADIENT_LOSSSCALING_H
