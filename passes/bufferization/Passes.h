// The passes that decide where values are written, see Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_BUFFERIZATION_PASSES_H
#define TUTTI_PASSES_BUFFERIZATION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tutti::bufferization {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/bufferization/Passes.h.inc"

} // namespace tutti::bufferization

#endif // TUTTI_PASSES_BUFFERIZATION_PASSES_H
