// Whether micro-batches divide the samples that a rank takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_MICROBATCHES_H
#define TUTTI_PASSES_SPECIALIZE_MICROBATCHES_H

#include "lib/program/BatchShare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::specialize {

/// The samples that a rank takes of each dataset.
using BatchShares = llvm::DenseMap<mlir::StringAttr, program::BatchShare>;

/// Fails, with an error that names global batch, ranks and parts, where `function` cuts an input
/// into more parts than divide the samples that a rank takes.
mlir::LogicalResult checkMicroBatches(mlir::func::FuncOp function, const BatchShares &shares);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_MICROBATCHES_H
