// What happens to a gradient between its reduction over the ranks and the update, and in what
// order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GRADIENTCHAIN_H
#define TUTTI_LIB_PROGRAM_GRADIENTCHAIN_H

#include "dialects/interfaces/Optimizer.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tutti::train {
class VariableAttr;
} // namespace tutti::train

namespace tutti::program {

/// The canonical order. Checks and norms that ranks take of their own gradients would differ
/// between them, and limits that hold for a gradient as it is do not hold for a scaled one.
enum class GradientStage { Reduce, Unscale, FiniteCheck, Norm, Clip, Update };

/// The stage of an operation on gradients; none for any other operation, reductions included.
std::optional<GradientStage> getGradientStage(mlir::Operation *op);

/// Whether `op` finds out something about gradients, all of whose operands they are: whether they
/// are finite, or how long.
bool measuresGradients(mlir::Operation *op);

/// Calls `visit` with each operand of `op` that is used as a gradient.
void forEachGradient(mlir::Operation *op, llvm::function_ref<void(mlir::OpOperand &)> visit);

/// What `gradient` was before it was unscaled and clipped: the value that is reduced over ranks.
mlir::Value getRawGradient(mlir::Value gradient);

/// The operand that becomes `value` by being scaled, marked, cut, converted or awaited, one tensor
/// to one; null where that is not what makes `value`.
mlir::OpOperand *getPassedOn(mlir::Value value);

/// The variable that `optimizer` updates, or of which it updates this rank's part; null where what
/// it updates is no variable.
train::VariableAttr findUpdatedVariable(OptimizerOpInterface optimizer);

/// Whether `value` is an argument that holds a variable of each rank's own.
bool isRanksOwn(mlir::Value value);

/// Whether the gradient in `use` only updates variables of each rank's own, so that each rank may
/// have its own gradient too.
bool updatesRanksOwn(mlir::OpOperand &use);

/// What becomes of a reduced gradient.
struct GradientUse {
  OptimizerOpInterface optimizer; ///< null where the gradient is only marked
  std::string name;               ///< of the variable that it updates; empty if it is not known
};

/// The results of `all_reduce` and `reduce_scatter` in `module` that optimizers take as gradients,
/// perhaps scaled, converted, cut, unscaled or clipped, and those that `train.mark_gradient` marks.
llvm::DenseMap<mlir::Value, GradientUse> findReducedGradients(mlir::ModuleOp module);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GRADIENTCHAIN_H
