// Constructors and registration of the planning passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_PASSES_H
#define TUTTI_PASSES_PLANNING_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tutti::planning {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/planning/Passes.h.inc"

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_PASSES_H
