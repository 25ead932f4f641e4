// Which reductions are those of gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GRADIENTREDUCTIONS_H
#define TUTTI_LIB_PROGRAM_GRADIENTREDUCTIONS_H

#include "dialects/interfaces/Optimizer.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti::program {

/// What becomes of a reduced gradient.
struct GradientUse {
  OptimizerOpInterface optimizer; ///< null where the gradient is only marked
  std::string name;               ///< of the variable that it updates; empty if it is not known
};

/// The results of `all_reduce` and `reduce_scatter` in `module` that optimizers take as gradients,
/// perhaps scaled, converted, cut, unscaled or clipped, and those that `train.mark_gradient` marks.
llvm::DenseMap<mlir::Value, GradientUse> findReducedGradients(mlir::ModuleOp module);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GRADIENTREDUCTIONS_H
