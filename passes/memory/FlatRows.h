// Values that stand in a row of their elements from the start, so that flattening them copies
// nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_FLATROWS_H
#define TUTTI_PASSES_MEMORY_FLATROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::memory {

/// Replaces each `collective.flatten` on buffers of `function`. What is flattened becomes the start
/// of the row if it is a buffer of the function's own, is dead afterwards, and nothing uses the row
/// before; else it is copied there. Zeros are written behind it. Returns how many were copied; an
/// error names an element type that has no zero.
mlir::FailureOr<unsigned> lowerFlattens(mlir::func::FuncOp function);

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_FLATROWS_H
