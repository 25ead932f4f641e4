// Constructors and registration of the passes that put the step into loops and branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_LOOPPASSES_H
#define TUTTI_PASSES_DISTRIBUTION_LOOPPASSES_H

#include "passes/distribution/Passes.h"

namespace tutti::distribution {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/distribution/LoopPasses.h.inc"

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_LOOPPASSES_H
