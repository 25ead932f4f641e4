// The training program as the distribution passes see it: its functions, its datasets, its group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_PROGRAM_PROGRAM_H
#define TUTTI_LIB_PROGRAM_PROGRAM_H

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::program {

// Errors of these passes are emitted at locations, not on operations: MLIR would print the
// operation with them, and a module or a function may hold megabytes of weights.

struct Program {
  mlir::ModuleOp module;
  mlir::func::FuncOp initialize;
  mlir::func::FuncOp step;

  /// Finds the functions of a training program; both have one block. Otherwise emits an error that
  /// says what is missing.
  static mlir::FailureOr<Program> find(mlir::ModuleOp module);
};

/// One returned value of a function with its variable role.
struct VariableResult {
  mlir::OpOperand *value;
  train::VariableAttr role;
};

/// The variables that `function` returns, in order.
llvm::SmallVector<VariableResult> getVariableResults(mlir::func::FuncOp function);

/// The role of result `index`, or null if it is no variable.
train::VariableAttr getVariable(mlir::func::FuncOp function, unsigned index);

/// The group of all ranks, declared at the top of the module as @world if the module has none.
mlir::FlatSymbolRefAttr getOrCreateWorld(mlir::ModuleOp module);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PROGRAM_H
