// Builds @step and @evaluate of a program from its @forward.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_STEPBUILDER_H
#define TUTTI_PASSES_GRADIENT_STEPBUILDER_H

#include "passes/gradient/Recipe.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::gradient {

/// Replaces @forward of `program` by @step and @evaluate as `recipe` says, and extends @initialize.
/// Fails with a diagnostic when the graph does not fit the recipe; then the program is left half
/// built.
mlir::LogicalResult buildStep(mlir::ModuleOp program, const Recipe &recipe);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_STEPBUILDER_H
