// The passes of lowering, see Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LOWERING_PASSES_H
#define TUTTI_PASSES_LOWERING_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tutti::lowering {

#define GEN_PASS_DECL
#include "passes/lowering/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lowering/Passes.h.inc"

} // namespace tutti::lowering

#endif // TUTTI_PASSES_LOWERING_PASSES_H
