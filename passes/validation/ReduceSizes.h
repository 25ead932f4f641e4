// The same program with smaller tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_REDUCESIZES_H
#define TUTTI_PASSES_VALIDATION_REDUCESIZES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace tutti::validation {

/// Programs whose operations are those that were given, on the smallest tensors that keep what
/// divides what.
struct ReducedPrograms {
  mlir::OwningOpRef<mlir::ModuleOp> program, reference; ///< the latter may be null
  int64_t elementsBefore = 0, elementsAfter = 0;        ///< of all variables
  std::string inputs; ///< the shapes of the inputs: "x 4x3x32x32, label 4"
};

/// Reduces sizes of both programs alike. Nothing where they cannot be.
std::optional<ReducedPrograms> reduceSizes(mlir::ModuleOp program, mlir::ModuleOp reference);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_REDUCESIZES_H
