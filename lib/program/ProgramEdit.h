// Changes of the variables of a training program, collected first and made at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PROGRAMEDIT_H
#define TUTTI_LIB_PROGRAM_PROGRAMEDIT_H

#include "lib/program/Program.h"

#include "llvm/ADT/MapVector.h"

namespace tutti::program {

/// Edits of the variables of one program. Made one by one, each would copy the types and roles of
/// all variables, and the context would keep all copies; `apply` makes them in time linear in the
/// number of variables. Until then the functions keep their arguments and results.
class ProgramEdit {
public:
  explicit ProgramEdit(Program program) : program(program) {}

  /// Adds variable `role` after the others: @initialize returns the constant `initial`, @step
  /// takes and returns it. Returns its value before the step, which may be used at once; it becomes
  /// an argument of @step with `apply`. Needs setNext.
  mlir::Value addVariable(train::VariableAttr role, mlir::TypedAttr initial, mlir::Location loc);

  /// Adds variable `role`, which begins as the variable `from` does: @initialize returns for it
  /// what it returns for `from`, after a broadcast if there is one. Otherwise as addVariable. Null,
  /// and nothing is added, where @initialize does not return `from`.
  mlir::Value copyVariable(train::VariableAttr from, train::VariableAttr role, mlir::Location loc);

  /// Adds a metric after the results of @step: `value`, a scalar float, under `name`. It is the
  /// metric of all ranks if it is equal on them, or if distribute-reduce-metrics, which comes
  /// later, makes it their mean.
  void addMetric(llvm::StringRef name, mlir::Value value) {
    metrics.push_back({name.str(), value});
  }

  /// What @step returns for the added variable whose value before the step is `before`.
  void setNext(mlir::Value before, mlir::Value next);

  /// Every function of the module takes and returns the variable `from` as `to`.
  void setRole(train::VariableAttr from, train::VariableAttr to) { roles[from] = to; }

  /// Makes the changes, and gives @initialize and @step the types of what they take and return.
  /// Returns the new arguments of @step, in the order of addVariable.
  llvm::SmallVector<mlir::BlockArgument> apply();

private:
  struct Added {
    train::VariableAttr role;
    mlir::Value initial;
    mlir::Value next;
  };

  mlir::Value add(train::VariableAttr role, mlir::Value initial, mlir::Location loc);
  void changeRoles();
  void addResults(mlir::func::FuncOp function, mlir::Value Added::*value);
  void addMetrics();
  llvm::SmallVector<mlir::BlockArgument> addArguments();

  Program program;
  llvm::DenseMap<mlir::Attribute, train::VariableAttr> roles;
  llvm::DenseMap<mlir::Attribute, mlir::Value> initials; ///< what @initialize returns, if asked for
  llvm::MapVector<mlir::Value, Added> added; ///< by the value before the step: a placeholder
  llvm::SmallVector<std::pair<std::string, mlir::Value>> metrics;
};

/// The number of steps including the one that `@step` does (`tensor<i64>`): what it returns as a
/// replicated variable that is zero at first and that it adds one to; null if it has none.
mlir::Value findStepCounter(Program program);

/// Adds such a variable under `name`, after the other variables, and returns its new value.
mlir::Value addStepCounter(Program program, llvm::StringRef name);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PROGRAMEDIT_H
