// What makes of a converted module a program of upstream's dialects alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_MPI_STANDALONE_H
#define TUTTI_PASSES_CONVERSION_MPI_STANDALONE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tutti::conversion {

/// Erases what only says what values mean to Tutti: groups, data sets, the roles of arguments and
/// results, marks. Fails with an error where an operation of Tutti is left that computes.
mlir::LogicalResult eraseRoles(mlir::ModuleOp module);

/// Starts MPI at the begin of `entry`, where a rank beyond `ranks` stops, and ends it where the
/// function returns. One that starts MPI by itself stays as it is.
void startAndEnd(mlir::func::FuncOp entry, std::optional<int64_t> ranks);

/// Tells upstream's lowering for which MPI it writes calls: "MPICH" or "OpenMPI".
void chooseImplementation(mlir::ModuleOp module, llvm::StringRef implementation);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_MPI_STANDALONE_H
