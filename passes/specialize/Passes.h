// The passes that fix the number of ranks and the local batch, see Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_PASSES_H
#define TUTTI_PASSES_SPECIALIZE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tutti::specialize {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/specialize/Passes.h.inc"

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_PASSES_H
