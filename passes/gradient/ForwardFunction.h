// @forward (or a copy of it on its way to @step or @evaluate) with its arguments told apart by
// role.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_FORWARDFUNCTION_H
#define TUTTI_PASSES_GRADIENT_FORWARDFUNCTION_H

#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::gradient {

class ForwardFunction {
public:
  explicit ForwardFunction(mlir::func::FuncOp function) : function(function) {}

  /// Fails with a diagnostic unless @forward has a body of one block, in which variables come
  /// first, are those that
  /// @initialize returns, in its order, and every other argument is an input.
  mlir::LogicalResult check(mlir::func::FuncOp initialize);

  /// A copy named `name` after the function.
  ForwardFunction cloneAs(llvm::StringRef name);

  mlir::func::FuncOp op() { return function; }
  mlir::Block &body() { return function.getBody().front(); }
  mlir::func::ReturnOp returned() {
    return llvm::cast<mlir::func::ReturnOp>(body().getTerminator());
  }

  /// Arguments before the first input.
  unsigned countVariables();
  train::VariableAttr variable(unsigned index) {
    return function.getArgAttrOfType<train::VariableAttr>(index, train::TrainDialect::kVariable);
  }
  bool hasInput(llvm::StringRef name);
  /// The dataset of the first input; @data if there is none.
  mlir::FlatSymbolRefAttr dataset();

  /// An argument to be, with one role.
  struct Argument {
    mlir::Type type;
    llvm::StringRef role;
    mlir::Attribute attribute;
    mlir::Location location;
  };
  /// Inserts the arguments before that of `index`, all at once.
  void insertArguments(unsigned index, llvm::ArrayRef<Argument> arguments);
  /// Appends an argument.
  mlir::BlockArgument addArgument(const Argument &argument);

  /// Results of the function, to be set at once.
  struct Result {
    mlir::Value value;
    llvm::StringRef role;
    mlir::Attribute attribute;
  };
  void setResults(llvm::ArrayRef<Result> results);

  /// The results as they are.
  llvm::SmallVector<Result> results();

private:
  mlir::func::FuncOp function;
};

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_FORWARDFUNCTION_H
