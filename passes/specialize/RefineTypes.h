// Types of results inferred again, after those of arguments became more precise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_REFINETYPES_H
#define TUTTI_PASSES_SPECIALIZE_REFINETYPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::specialize {

/// Walks the function in order, loops and branches included, and makes the types of results as
/// precise as their ops can infer them, then gives the function the type of its arguments and
/// returned values. Never makes a type less precise. Fails, with an error, where the operands of an
/// op do not fit together any more.
mlir::LogicalResult refineTypes(mlir::func::FuncOp function);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_REFINETYPES_H
