// What a step asks of servers, and tells them, once for all of its micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_SERVEDROWS_H
#define TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_SERVEDROWS_H

#include "dialects/ps/Ps.h"
#include "lib/program/BatchWork.h"

namespace tutti::distribution {

/// The pulls of a step stand in front of its loop over micro-batches, its pushes after it: rows
/// are asked for, and gradients sent, once in a step.
class ServedRows {
public:
  /// One of the lists of rows that a push sends, before lists are joined and merged.
  struct List {
    mlir::Value indices, rows;
    /// Has as many entries as the list of all micro-batches; null where that does not follow from
    /// the batch.
    mlir::Value whole;
  };
  /// A pull that each micro-batch does by itself, and why.
  struct PullInLoop {
    ps::PullRowsOp pull;
    std::string reason;
  };

  /// Lets the pulls of `step` ask for the rows of all of its batch. Where indices are computed,
  /// that is done for one of `parts` micro-batches after the other, so that they are those of the
  /// micro-batches whatever computes them. Fails, with an error, where the length of a list is not
  /// known in front of the loop.
  static mlir::FailureOr<ServedRows> separate(mlir::func::FuncOp step, int64_t parts);

  /// The gradients that `step` pushes, as they are before they are clipped; of tables the rows of
  /// all lists.
  llvm::SmallVector<mlir::Value> getGradients(mlir::func::FuncOp step) const;
  const program::WholeBatch &getWholeBatch() const { return batch; }
  llvm::ArrayRef<PullInLoop> getPullsInLoop() const { return inLoop; }
  /// The list of which `value` is the rows or the indices, if its length follows from the batch;
  /// else null.
  const List *findList(mlir::Value value) const;

private:
  ServedRows(mlir::func::FuncOp step, int64_t parts);

  std::string pullWhole(ps::PullRowsOp pull);
  void computeInParts(ps::PullRowsOp pull, llvm::ArrayRef<mlir::Operation *> slice);
  mlir::LogicalResult addLists(ps::PushRowsOp push);
  mlir::FailureOr<mlir::Value> computeWhole(ps::PushRowsOp push, mlir::Value indices);
  bool followsBatch(mlir::Value value) const { return ofBatch.contains(value); }

  mlir::func::FuncOp step;
  int64_t parts;
  llvm::DenseSet<mlir::Value> ofBatch;
  program::WholeBatch batch;
  llvm::SmallVector<PullInLoop> inLoop;
  llvm::SmallVector<List> lists;
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_SERVEDROWS_H
