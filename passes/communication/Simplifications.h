// The rewrites of collective-simplify, and how often each was done.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_SIMPLIFICATIONS_H
#define TUTTI_PASSES_COMMUNICATION_SIMPLIFICATIONS_H

#include "lib/analysis/CollectiveMotion.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tutti::communication {

struct Counts {
  unsigned uniform = 0, scattered = 0, joined = 0, split = 0, added = 0, unnested = 0, narrowed = 0;
};

/// Whether the collective is synchronous and has one input, a tensor.
bool isPlain(collective::BucketOpInterface op);

/// Replaces results whose value this rank can compute from its own input, because all ranks of the
/// group give the same. `uniformity` is that of the module as it is now; if this returns true, the
/// module has changed.
bool replaceUniformInputs(mlir::ModuleOp module, const CollectiveMotion &motion,
                          const UniformityAnalysis &uniformity, bool reassociate, Counts &counts);

/// Rewrites that make one collective of two, or another of one, where `motion` allows it.
void addMergePatterns(mlir::RewritePatternSet &patterns, const CollectiveMotion &motion,
                      bool reassociate, bool splitAllReduce, Counts &counts);

/// Widening conversions in front of a collective move after it.
void addNarrowPatterns(mlir::RewritePatternSet &patterns, const CollectiveMotion &motion,
                       Counts &counts);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_SIMPLIFICATIONS_H
