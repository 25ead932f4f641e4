// The limits of buckets, for the passes that make them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_STRATEGIES_BUCKETS_H
#define TUTTI_PASSES_STRATEGIES_BUCKETS_H

#include "passes/DistributeOptions.h"
#include "passes/communication/Passes.h"

namespace tutti::strategies {

/// What the keys bucket-... say; what they do not say is up to the pass.
communication::CollectiveFusePassOptions fuseOptions(const DistributeOptions &options);

/// Whether limits alone say which gradients travel together, not the cost model, nor nobody.
bool fusesByLimits(const DistributeOptions &options);

} // namespace tutti::strategies

#endif // TUTTI_PASSES_STRATEGIES_BUCKETS_H
