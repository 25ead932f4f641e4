// The passes on StableHLO in generic form, see Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_PASSES_H
#define TUTTI_PASSES_STABLEHLO_PASSES_H

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <string>

namespace tutti::stablehlo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/stablehlo/Passes.h.inc"

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_PASSES_H
