// The passes that go from one dialect to another, see Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_PASSES_H
#define TUTTI_PASSES_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tutti::conversion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/conversion/Passes.h.inc"

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_PASSES_H
