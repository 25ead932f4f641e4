// Which variables a function gathers once and keeps, instead of gathering them for each use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SHARDING_KEPTGATHERS_H
#define TUTTI_PASSES_DISTRIBUTION_SHARDING_KEPTGATHERS_H

#include "passes/distribution/sharding/UseRegions.h"

namespace tutti::distribution {

/// A value that ranks keep in parts, and where a function uses the whole.
struct GatheredValue {
  mlir::Value whole;
  int64_t bytes = 0; ///< of the whole
  llvm::SmallVector<UseRegion> regions;
};

/// What is kept, and what that saves.
struct KeptGathers {
  int64_t values = 0;
  int64_t bytes = 0;
  int64_t gathers = 0; ///< in one call of the function, by which it gathers less
};

/// Joins the regions of some of `values` to one, at whose start the value is gathered for all its
/// uses, so that the whole lives from the first use to the last, around a loop that uses it. Those
/// are kept that save the most gathers for a byte and the time between its regions; all of them
/// together have at most `limit` bytes, by which the peak of the function rises at the most. A
/// limit below 0 is none. The values are used in `function`, of one block. Linear in its size, but
/// for sorting.
KeptGathers keepGathered(mlir::func::FuncOp function, llvm::MutableArrayRef<GatheredValue> values,
                         int64_t limit);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SHARDING_KEPTGATHERS_H
