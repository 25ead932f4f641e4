// One linalg op on buffers seen as a nest of loops over flat arrays: what is left when neighbouring
// dimensions that every operand walks alike are merged and dimensions of size 1 are dropped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_LOOPNEST_H
#define TUTTI_PASSES_CODEGEN_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tutti::codegen {

/// One loop: `strides[i]` is how many elements operand i moves on in one iteration; a negative one
/// starts at the end of what the loop walks over.
struct Loop {
  int64_t size = 1;
  bool isReduction = false;
  llvm::SmallVector<int64_t> strides;
  /// The dimension of the op, if its index is needed; such a loop is never merged or dropped.
  std::optional<int64_t> indexedDimension;
};

struct LoopNest {
  llvm::SmallVector<Loop> loops; // outermost first
  /// For each operand: the lowest element that the nest touches, and the extent of its flat array.
  llvm::SmallVector<int64_t> offsets, extents;
  /// For each operand: whether its buffer starts at an offset that is computed, to which `offsets`
  /// adds.
  llvm::SmallVector<bool> isOffsetComputed;
  /// How many of the innermost loops are reductions that leave every output in place.
  unsigned accumulating = 0;
};

/// Describes `op`. Fails, with an error, for what cannot be written as such a nest: dynamic shapes
/// or strides, accesses that are not sums of multiples of indices.
mlir::FailureOr<LoopNest> describeLoops(mlir::linalg::LinalgOp op);

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_LOOPNEST_H
