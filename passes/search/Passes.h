// Constructor and registration of the pass that searches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_PASSES_H
#define TUTTI_PASSES_SEARCH_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tutti::search {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/search/Passes.h.inc"

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_PASSES_H
