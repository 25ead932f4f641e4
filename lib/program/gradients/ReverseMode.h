// Reverse-mode differentiation of values of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GRADIENTS_REVERSEMODE_H
#define TUTTI_LIB_PROGRAM_GRADIENTS_REVERSEMODE_H

#include "dialects/train/Train.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tutti::program {

/// Differentiates what some operations of a block compute with respect to some values, its
/// variables, once.
class ReverseMode {
public:
  /// `asker` is the operation that wants the gradients, which errors name. They are built at
  /// `builder`'s point, after the operations.
  ReverseMode(mlir::Operation *asker, const mlir::OpBuilder &builder, mlir::ValueRange variables,
              llvm::iterator_range<mlir::Block::iterator> operations);

  /// A value, and the gradient that flows into it.
  using Seed = std::pair<mlir::Value, mlir::Value>;

  /// One gradient for each variable, null for one that reaches none of the values. On failure the
  /// error has been emitted.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> run(llvm::ArrayRef<Seed> seeds);

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
  /// Which part of the gradient of `op` leads to the operands in `reached`: "backward, weights" if
  /// these are variables, "backward, input" if others of its operands are, else "backward".
  llvm::StringRef partOf(mlir::Operation *op, const llvm::SmallBitVector &reached) const;
  /// Has the operations after `before`, which were made for `op`, say so in their locations.
  void nameParts(mlir::Operation *op, mlir::Operation *before, mlir::ValueRange operandGradients);
  /// Adds what flows into the operands of `op`.
  mlir::LogicalResult passOn(mlir::Operation *op, mlir::ValueRange operandGradients);
  void add(mlir::Value value, mlir::Value gradient, mlir::Location location);
  mlir::LogicalResult reportMissingRule(mlir::Operation *op);

  mlir::Operation *asker;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> ordered;           ///< the variables
  llvm::SmallVector<mlir::Operation *> operations;  ///< listed first, for the block grows
  llvm::DenseMap<mlir::Value, unsigned> variables;  ///< their numbers
  llvm::DenseMap<mlir::Value, unsigned> active;     ///< values that depend on one, and which
  llvm::DenseMap<mlir::Value, mlir::Value> flowing; ///< gradients collected so far
  unsigned differentiated = 0;
  unsigned sums = 0;
};

/// What to call variable `index` in a message: its own name if it is a variable of the program.
std::string nameOfVariable(mlir::Operation *asker, mlir::Value variable, unsigned index);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GRADIENTS_REVERSEMODE_H
