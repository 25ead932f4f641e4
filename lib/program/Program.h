// The training program as passes see it: its functions, its variables, its datasets, its group.
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

/// The variable that `value`, an argument of a function, holds; null for any other value.
train::VariableAttr findHeldVariable(mlir::Value value);

/// Where the variables of one function are. Looked up once, and no longer true when arguments or
/// results are added.
class VariablePlaces {
public:
  explicit VariablePlaces(mlir::func::FuncOp function);

  /// The argument that holds `role` before the function; null if it takes none.
  mlir::BlockArgument getArgument(train::VariableAttr role) const { return arguments.lookup(role); }
  /// The result that is `role` after it.
  std::optional<unsigned> getResult(train::VariableAttr role) const;

private:
  llvm::DenseMap<mlir::Attribute, mlir::BlockArgument> arguments;
  llvm::DenseMap<mlir::Attribute, unsigned> results;
};

/// The number of ranks of `group` as a scalar of the float type `type`.
mlir::Value createGroupSize(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::FlatSymbolRefAttr group, mlir::Type type);

/// The group of all ranks, declared at the top of the module as @world if the module has none.
mlir::FlatSymbolRefAttr getOrCreateWorld(mlir::ModuleOp module);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PROGRAM_H
