// Passes that decide where values are written, before upstream makes them buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_BUFFERIZATION_PASSES
#define TUTTI_BUFFERIZATION_PASSES

include "mlir/Pass/PassBase.td"

def BindVariablesPass : Pass<"lower-bind-variables", "::mlir::ModuleOp"> {
  let summary = "Turn the functions of the program into functions on buffers";
  let description = [{
    Gives `@initialize`, `@step` and `@evaluate` the signature (variables, inputs, hyperparameters, results, arena,
    context), all buffers, no result. A variable's new value is written where the old one stands: the op that computes it gets the
    variable as destination and moves to where its operands are known and the old value has been read for the last time:
    no copy is needed, and a gradient lives no longer than to its update. So do sums over micro-batches. The numbers
    of buffers are recorded as `kernel.variables`, `kernel.inputs` and `kernel.results` of the function. With `mark-states`
    buffers of optimizer states have the argument attribute `kernel.state`.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"marksStates", "mark-states", "bool", /*default=*/"false",
           "Leave `kernel.state` on the buffers of optimizer states, for lower-offload-states">
  ];
}

#endif // TUTTI_BUFFERIZATION_PASSES
