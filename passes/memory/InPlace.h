// Values that are made where they are wanted, so that nothing is copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_INPLACE_H
#define TUTTI_PASSES_MEMORY_INPLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::memory {

/// Replaces each `collective.flatten` on buffers of `function`. What is flattened becomes the start
/// of the row if it is a buffer of the function's own, is dead afterwards, and nothing uses the row
/// before; else it is copied there. Zeros are written after it. Returns how many were copied; an
/// error names an element type that has no zero.
mlir::FailureOr<unsigned> lowerFlattens(mlir::func::FuncOp function);

/// Where a `collective.all_gather` on buffers of `function` fills a buffer of which all is copied
/// to an argument in the end, and nothing touches the argument from the one to the other, it fills
/// the argument instead: neither the copy nor the buffer remain. The buffer of a variable that the
/// ranks do not divide is longer than the variable, and stays. Returns how many arguments are
/// filled so.
unsigned gatherInPlace(mlir::func::FuncOp function);

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_INPLACE_H
