// Whether a program draws anything that the seed of a run decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_SEED_H
#define TUTTI_LIB_ANALYSIS_SEED_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti {

/// Whether an operation draws without a seed of its own, or a table on servers begins at random.
bool usesSeed(mlir::ModuleOp module);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_SEED_H
