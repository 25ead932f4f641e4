// The canonical order of what happens to a gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_GRADIENTORDER_H
#define TUTTI_PASSES_DISTRIBUTION_GRADIENTORDER_H

#include "lib/analysis/Uniformity.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::distribution {

/// Gradients are reduced, unscaled, checked to be finite, measured, clipped, and then update
/// variables, in this order and each at most once. Emits an error that names both operations where
/// `step` does otherwise, or where ranks clip by, or skip a step for, what only one of them knows.
mlir::LogicalResult verifyGradientOrder(mlir::func::FuncOp step,
                                        const UniformityAnalysis &uniformity);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_GRADIENTORDER_H
