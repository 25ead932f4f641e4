// Folding what follows from a known number of ranks, and nothing else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_SPECIALIZE_FOLDWORLD_H
#define TUTTI_PASSES_SPECIALIZE_FOLDWORLD_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti::specialize {

/// Folds collectives, questions about groups, batch weights and what is computed from these two, in
/// all of `module`, and erases what is dead then. No other operation is folded or moved, so that a
/// program for one rank comes back as it was before distribution. Returns the number of erased
/// operations.
unsigned foldWorld(mlir::ModuleOp module);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_FOLDWORLD_H
