// What a step does with its batch until it has gradients: what runs once for each micro-batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_PROGRAM_BATCHWORK_H
#define TUTTI_LIB_PROGRAM_BATCHWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace tutti::train {
class InputAttr;
} // namespace tutti::train

namespace tutti::program {

/// What is done once for the whole batch although it depends on it: what servers are asked for, and
/// what they are told.
struct WholeBatch {
  llvm::DenseSet<mlir::Operation *> before; ///< in front of the work
  llvm::DenseSet<mlir::Operation *> after;  ///< after the work
  /// Results of `before` with as many rows for each sample; the work takes parts of them.
  llvm::SmallVector<mlir::Value> values;
};

/// Forward and backward of a step: the operations that depend on the batch, but not on a finished
/// gradient. What is computed from gradients (their norm, optimizers) comes after; what depends on
/// neither (the step counter, constants) is not part of either, nor is what only a
/// `train.batch_total` is computed from.
struct BatchWork {
  /// In the order of the block.
  llvm::SetVector<mlir::Operation *> ops;
  /// Operations that depend on gradients and stand before the last of `ops`, in order.
  llvm::SmallVector<mlir::Operation *> early;
  /// Results of `ops` that others use, in the order in which they are computed.
  llvm::SmallVector<mlir::Value> leaving;
  /// What is divided by samples: the arrays of the batch, and the values of a `WholeBatch`.
  llvm::SmallVector<mlir::Value> batch;

  /// Divides the block of `step`, whose gradients are `gradients`. A gradient from which another
  /// one is computed counts as a step on the way there.
  static BatchWork find(mlir::func::FuncOp step, llvm::ArrayRef<mlir::Value> gradients,
                        const WholeBatch &whole = {});

  /// Whether `op` is one of `ops`, or stands in one.
  bool contains(mlir::Operation *op) const;
};

/// Whether `op`, or what it holds, uses a value of which `is` holds.
bool usesAny(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> is);

/// What `value`, an argument of a function, is read from a dataset as; null for any other value.
train::InputAttr findReadInput(mlir::Value value);

/// The dimension along which such an argument has its samples; none for scalars, and other values.
std::optional<unsigned> getSampleAxis(mlir::Value value);

/// The arguments of `step` that are arrays of a batch.
llvm::SmallVector<mlir::Value> findBatch(mlir::func::FuncOp step);

/// The `train.batch_total` of `block`, and the operations of which nothing else uses a result.
llvm::DenseSet<mlir::Operation *> findTotals(mlir::Block &block);

/// Gives each `train.batch_total` of `block`, which is a function's, operations of its own, of
/// which nothing else uses a result, as far as they depend on the batch. Random numbers are then
/// drawn twice, and are the same.
void separateTotals(mlir::Block &block);

/// Whatever the operations of `block` compute from one of `values`, and `values` themselves.
llvm::DenseSet<mlir::Value> findDependents(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_BATCHWORK_H
