// Calls of private functions, as jax.jit nests them, become what they call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_INLINECALLS_H
#define TUTTI_PASSES_STABLEHLO_INLINECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::stablehlo {

/// Puts what `function` calls, and what that calls, in the place of the calls, within its regions
/// too; then erases private functions of the module that nobody names. Fails at a call of itself,
/// and of a function that has no body of one block. MLIR's inliner leaves operations of unknown
/// dialects where they are.
llvm::LogicalResult inlineCalls(mlir::func::FuncOp function);

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_INLINECALLS_H
