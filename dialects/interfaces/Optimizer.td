// The interface of operations that update one variable from its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_OPTIMIZER_TD
#define TUTTI_INTERFACES_OPTIMIZER_TD

include "mlir/IR/OpBase.td"

def OptimizerOpInterface : OpInterface<"OptimizerOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that computes the next value of one variable (result 0) and of its optimizer states (the
    other results, in the order of `getStates`) from the variable, its gradient, its states and a learning
    rate. Passes find gradients through it without knowing the optimizer. An operation whose operands are called
    `variable`, `gradient` and `learning_rate`, and which has no states, writes no method.
  }];
  let methods = [
    InterfaceMethod<"The variable's value before the step.", "::mlir::Value", "getVariable">,
    InterfaceMethod<"The operand that carries the gradient.", "::mlir::OpOperand &", "getGradientMutable">,
    InterfaceMethod<"The optimizer states before the step; by default there are none.",
                    "::llvm::SmallVector<::mlir::Value>", "getStates", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"The learning rate, a scalar tensor.", "::mlir::Value", "getLearningRate">
  ];
}

#endif
