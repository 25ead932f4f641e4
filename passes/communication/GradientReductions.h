// Which reductions are those of gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_COMMUNICATION_GRADIENTREDUCTIONS_H
#define TUTTI_PASSES_COMMUNICATION_GRADIENTREDUCTIONS_H

#include "dialects/interfaces/Optimizer.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti::communication {

/// What becomes of a reduced gradient.
struct GradientUse {
  OptimizerOpInterface optimizer; ///< null where the gradient is only marked
  std::string name;               ///< of the variable that it updates; empty if it is not known
};

/// The results of `all_reduce` and `reduce_scatter` in `module` that optimizers take as gradients,
/// perhaps scaled, converted, cut, unscaled or clipped, and those that `train.mark_gradient` marks.
llvm::DenseMap<mlir::Value, GradientUse> findReducedGradients(mlir::ModuleOp module);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_GRADIENTREDUCTIONS_H
