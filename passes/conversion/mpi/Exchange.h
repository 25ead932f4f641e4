// Collectives as functions of messages: one function for each kind, element type and group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_MPI_EXCHANGE_H
#define TUTTI_PASSES_CONVERSION_MPI_EXCHANGE_H

#include "passes/conversion/mpi/Team.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::conversion {

/// The functions of one module that communicate. Their buffers are flat (`getFlatType`).
class Exchanges {
public:
  Exchanges(mlir::ModuleOp module, mlir::SymbolTable &symbols, Teams &teams)
      : module(module), symbols(symbols), teams(teams) {}

  /// The function that does for one buffer what the collective or message `op` does for a bucket of
  /// elements of type `element`. Its parameters are the buffers that `op` reads and writes, then,
  /// of exchanges of rows, their counts as flat buffers of i64 and the elements of a row; of
  /// messages the place of the other side. Fails with an error where there is no such function.
  mlir::FailureOr<mlir::func::FuncOp> get(mlir::Operation *op, mlir::Type element);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable &symbols;
  Teams &teams;
  llvm::StringMap<mlir::func::FuncOp> functions;
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_MPI_EXCHANGE_H
