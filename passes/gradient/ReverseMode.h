// Reverse-mode differentiation of one value of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_REVERSEMODE_H
#define TUTTI_PASSES_GRADIENT_REVERSEMODE_H

#include "dialects/train/Train.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tutti::gradient {

/// Differentiates the value of one train.gradient with respect to its variables, once.
class ReverseMode {
public:
  explicit ReverseMode(train::GradientOp gradient);

  /// Builds the gradients before the train.gradient; one per variable, null for a variable that
  /// does not reach the value. On failure the error has been emitted.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> run();

  unsigned getDifferentiated() const { return differentiated; }
  unsigned getSums() const { return sums; }

private:
  /// Finds the values that depend on a variable, and on which one first.
  void findActiveValues();
  /// The first variable that `op` depends on, through its operands or what its regions capture.
  std::optional<unsigned> findVariableOf(mlir::Operation *op) const;
  mlir::LogicalResult differentiate(mlir::Operation *op);
  /// Gives the gradients that flow into the results of `op`; empty if none does.
  llvm::SmallVector<mlir::Value> takeResultGradients(mlir::Operation *op);
  /// Adds what flows into the operands of `op`.
  mlir::LogicalResult passOn(mlir::Operation *op, mlir::ValueRange operandGradients);
  mlir::LogicalResult reportMissingRule(mlir::Operation *op);

  train::GradientOp gradient;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, unsigned> variables;  ///< the variables and their numbers
  llvm::DenseMap<mlir::Value, unsigned> active;     ///< values that depend on a variable, and which
  llvm::DenseMap<mlir::Value, mlir::Value> flowing; ///< gradients collected so far
  unsigned differentiated = 0;
  unsigned sums = 0;
};

/// What to call variable `index` in a message: its own name if it is a variable of the program.
std::string nameOfVariable(train::GradientOp gradient, unsigned index);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_REVERSEMODE_H
