// What a step carries from one micro-batch to the next, and why some steps cannot.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_H
#define TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_H

#include "lib/program/Program.h"
#include "passes/distribution/MicroBatchLoop.h"

namespace tutti::distribution {

/// The accumulation of the gradients of one step.
struct Accumulation {
  llvm::SmallVector<mlir::Value> gradients; ///< marked ones, and others that optimizers take
  program::BatchWork work;                  ///< what is done for each micro-batch
  llvm::SmallVector<CarriedValue> carried;  ///< one for each value that leaves the work

  /// Finds what is to be carried; gradients become sums or, with `isMean`, means over
  /// micro-batches. Fails, with an error, where the step has no gradient or no batch that can be
  /// divided, accumulates already, or where a value has no mean or is reduced over the ranks
  /// already.
  static mlir::FailureOr<Accumulation> find(program::Program program, bool isMean);

  /// Whether `gradient` depends on the batch, and so is accumulated.
  bool accumulates(mlir::Value gradient) const {
    return gradient.getDefiningOp() && work.contains(gradient.getDefiningOp());
  }
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_H
