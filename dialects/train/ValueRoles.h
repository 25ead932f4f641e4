// What attributes say of single values, whatever dialect they are of: gradients, sources of random
// numbers. Apart from Train.h because few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_VALUEROLES_H
#define TUTTI_TRAIN_VALUEROLES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace tutti::train {

/// The variable whose gradient `role`, the value of `train.gradient`, names: "" for one that is not
/// named, none where it says that there is no gradient.
std::optional<llvm::StringRef> readGradient(mlir::Attribute role);

/// The same of result `index` of `op`, by the attribute on `op`.
std::optional<llvm::StringRef> findGradient(mlir::Operation *op, unsigned index);

/// What `op` says of the random numbers that it draws; null where it says nothing.
RandomAttr findRandom(mlir::Operation *op);

// Verifiers, for the dialect. Each explains what does not hold.

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Of an argument or a result of a function.
mlir::LogicalResult verifyGradient(mlir::Attribute role, mlir::Type type, EmitError emitError);
/// Of an operation.
mlir::LogicalResult verifyGradients(mlir::Operation *op, mlir::Attribute roles);
mlir::LogicalResult verifyRandom(mlir::Operation *op, mlir::Attribute role);
/// That gradients fit the variables of the program.
mlir::LogicalResult verifyGradientsOf(mlir::ModuleOp program);

} // namespace tutti::train

#endif
