// Builds a function of a training program: arguments and results with their roles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_FUNCTIONBUILDER_H
#define TUTTI_LIB_FRONTEND_GRAPH_FUNCTIONBUILDER_H

#include "lib/frontend/graph/VariableClasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::frontend {

/// Adds arguments and results one by one; the function is valid after `finish`.
class FunctionBuilder {
public:
  /// Starts function `name` at the end of `module` and puts `builder` into its body.
  FunctionBuilder(llvm::StringRef name, mlir::ModuleOp module, mlir::OpBuilder &builder);

  mlir::Value addVariable(const Variable &variable, mlir::Location location);
  mlir::Value addInput(llvm::StringRef name, mlir::Type type, mlir::Location location);
  mlir::Value addHyperparameter(llvm::StringRef name, mlir::FloatAttr value,
                                mlir::Location location);

  void returnVariable(const Variable &variable, mlir::Value value);
  /// A scalar float is a metric, anything else an output.
  void returnOutput(llvm::StringRef name, mlir::Value value);

  void finish();

private:
  mlir::Value addArgument(mlir::Type type, llvm::StringRef role, mlir::Attribute value,
                          mlir::Location location);
  void addResult(mlir::Value result, llvm::StringRef role, mlir::Attribute value);
  mlir::Attribute variableRole(const Variable &variable);

  mlir::OpBuilder &builder;
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Attribute> argumentRoles, resultRoles;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_FUNCTIONBUILDER_H
