// Where sums over ranks are taken so that as few bytes as possible travel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_CUT_H
#define TUTTI_PASSES_STABLEHLO_CUT_H

#include "passes/stablehlo/Placement.h"

#include "llvm/ADT/DenseSet.h"

namespace tutti::stablehlo {

/// The values of `block` whose sums are taken: on each way from where a sum arises to where it is
/// needed stands one. After it, linear operations are computed of the whole; before it, of what
/// each rank has. Among all such choices the one of the fewest bytes, where a call counts as
/// kBytesOfCall more; among equal ones the earliest, which can begin first. It is a minimum cut.
llvm::DenseSet<mlir::Value> findCheapestSums(mlir::Block &block, const Placement &placement);

/// What a call costs beside its bytes, in bytes: it keeps two small sums from being cheaper than
/// one.
inline constexpr int64_t kBytesOfCall = 1024;

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_CUT_H
