// Large constants as plain bytes, which LLVM carries without a look at their elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_PACKCONSTANTS_H
#define TUTTI_PASSES_CODEGEN_PACKCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti::codegen {

/// Constants of fewer bytes stay arrays of their elements.
inline constexpr int64_t kSmallestPackedBytes = 4096;

/// Gives each large global constant of `module`, in the LLVM dialect, the type of an array of
/// bytes. An array of arrays of floats would be an object of LLVM for each innermost row, and the
/// initial values of a convolution of 1x1 have as many rows as elements.
void packConstants(mlir::ModuleOp module);

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_PACKCONSTANTS_H
