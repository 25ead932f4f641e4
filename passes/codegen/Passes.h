// The passes that go from Linalg and calls to LLVM, see Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_PASSES_H
#define TUTTI_PASSES_CODEGEN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tutti::codegen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/codegen/Passes.h.inc"

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_PASSES_H
