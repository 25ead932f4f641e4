// Buckets in memory: the buffers that a collective communicates are contiguous, so that they are
// one buffer to the runtime and nothing is packed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_BUCKETLAYOUT_H
#define TUTTI_PASSES_MEMORY_BUCKETLAYOUT_H

#include "passes/memory/ArenaLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tutti::memory {

/// What the memory plan writes on a collective: the positions of the inputs that are contiguous, in
/// the order of their addresses.
inline constexpr llvm::StringLiteral kAdjacent = "kernel.adjacent";

/// Finds the buckets of `function` that work in place, element by element, on buffers among
/// `buffers`, marks them with kAdjacent, and returns a row for each. Buffers whose size is a
/// multiple of kArenaAlignment go first, so that most of a row is aligned. A buffer of two buckets
/// lies in the first. To be called before the buffers are placed.
llvm::SmallVector<ArenaRow> layOutBuckets(mlir::func::FuncOp function,
                                          llvm::ArrayRef<mlir::memref::AllocOp> buffers);

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_BUCKETLAYOUT_H
