// Micro-batches on the way down: whether they divide what a rank takes, and slices of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LOWERING_MICROBATCHES_H
#define TUTTI_PASSES_LOWERING_MICROBATCHES_H

#include "dialects/train/MicroBatches.h"
#include "lib/execution/BatchShare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::lowering {

/// The samples that a rank takes of each dataset.
using BatchShares = llvm::DenseMap<mlir::StringAttr, execution::BatchShare>;

/// Fails, with an error that names global batch, ranks and parts, where `function` cuts an input
/// into more parts than divide the samples that a rank takes.
mlir::LogicalResult checkMicroBatches(mlir::func::FuncOp function, const BatchShares &shares);

/// The micro-batch that is computed where `op` stands: which one, and of how many. Null where it is
/// the whole batch.
train::MicroBatchOp findMicroBatch(mlir::Operation *op);

/// The type of a part, of which there are `parts`, of a `whole`.
mlir::Type typeOfPart(mlir::Type whole, int64_t parts);

/// micro_batch, put_micro_batch and zero_batch.
void populateMicroBatchPatterns(mlir::RewritePatternSet &patterns);

} // namespace tutti::lowering

#endif // TUTTI_PASSES_LOWERING_MICROBATCHES_H
