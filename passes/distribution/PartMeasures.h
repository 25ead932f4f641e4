// Norms and finite checks of gradients of which each rank holds a part.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_PARTMEASURES_H
#define TUTTI_PASSES_DISTRIBUTION_PARTMEASURES_H

#include "passes/distribution/Partition.h"

namespace tutti::distribution {

/// Lets each `train.global_norm` and `train.all_finite` of `step` look at the parts of gradients
/// that `parts` has built, and at the others as they are, and the ranks combine in one reduction
/// what they found; so all ranks find the same. A norm is the root of the sum of squares over the
/// parts, in rank order, plus that over the whole gradients: not the order of additions of one
/// device. A gradient whose part may end in something else than zeros stays whole. Returns those it
/// rewrote; they are erased.
unsigned measureParts(mlir::func::FuncOp step, const Partition &parts,
                      mlir::FlatSymbolRefAttr world);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_PARTMEASURES_H
