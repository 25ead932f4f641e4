// What is gathered from all ranks arrives in the variable that it is copied to in the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_GATHERINPLACE_H
#define TUTTI_PASSES_MEMORY_GATHERINPLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::memory {

/// Where a `collective.all_gather` on buffers of `function` fills a buffer of which all is copied
/// to an argument in the end, and nothing touches the argument from the one to the other, it fills
/// the argument instead: neither the copy nor the buffer remain. The buffer of a variable that the
/// ranks do not divide is longer than the variable, and stays. Returns how many arguments are
/// filled so.
unsigned gatherInPlace(mlir::func::FuncOp function);

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_GATHERINPLACE_H
