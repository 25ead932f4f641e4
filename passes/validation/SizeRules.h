// Which dimensions of operands and results are equal, by operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_SIZERULES_H
#define TUTTI_PASSES_VALIDATION_SIZERULES_H

#include "passes/validation/SizeClasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::validation {

/// Tells `classes` what the operations of `function` say of sizes. What it does not know keeps its
/// sizes.
void addSizeRules(mlir::func::FuncOp function, SizeClasses &classes);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_SIZERULES_H
