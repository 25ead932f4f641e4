// Which dimensions of operands and results are equal, by operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_SIZERULES_H
#define TUTTI_PASSES_VALIDATION_SIZERULES_H

#include "passes/validation/SizeClasses.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace tutti::validation {

/// Tables on servers, which are no values, by name: values of their types that stand for them.
using TableValues = llvm::StringMap<mlir::Value>;

/// Tells `classes` what the operations of `function` say of sizes. What it does not know keeps its
/// sizes.
void addSizeRules(mlir::func::FuncOp function, const TableValues &tables, SizeClasses &classes);

/// Whether a slice that begins at `start` is one of equal parts, and not the first.
bool isOneOfEqualParts(int64_t start, int64_t part, int64_t whole);

/// The table whose rows a list is merged for, on servers or a variable; null if that is not found.
mlir::Value findTable(train::MergeRowsOp merge, const TableValues &tables);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_SIZERULES_H
