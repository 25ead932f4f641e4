// The gradients of a training step and who uses them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_PROGRAM_GRADIENTS_GRADIENTS_H
#define TUTTI_LIB_PROGRAM_GRADIENTS_GRADIENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tutti::program {

/// A value that is used as a gradient, with the operands that use it so, in program order.
struct Gradient {
  mlir::Value value;
  llvm::SmallVector<mlir::OpOperand *, 1> uses;

  /// Puts the builder before the first use, or after the definition where the uses stand in
  /// several blocks.
  void setInsertionPoint(mlir::OpBuilder &builder) const;
};

/// Gradients in the order of their first use; each value once.
class Gradients : public llvm::SmallVector<Gradient> {
public:
  /// What `train.mark_gradient` marks in `step`; GradientRoles.h has those that attributes name.
  static Gradients findMarked(mlir::func::FuncOp step);

  /// What optimizers take in `step`, as it is before it is unscaled, checked and clipped: the uses
  /// are those of whatever comes first of these, and of checks and norms beside it.
  static Gradients findOptimized(mlir::func::FuncOp step);

  /// Takes those out that are not computed, by operations of `block`, from others of them.
  Gradients takeFirst(mlir::Block &block);

  /// The first use, if all gradients are defined before it and used in its block; else null.
  mlir::Operation *getCommonPoint() const;

private:
  void add(mlir::OpOperand &use);

  llvm::DenseMap<mlir::Value, size_t> positions;
};

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GRADIENTS_GRADIENTS_H
