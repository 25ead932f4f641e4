// Passes that turn a model into an explicit training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PASSES_TD
#define TUTTI_PASSES_GRADIENT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandGradientsPass : Pass<"train-expand-gradients", "::mlir::func::FuncOp"> {
  let summary = "Replace each train.gradient by the operations that compute it";
  let description = [{
    Differentiates in reverse mode, through `DifferentiableOpInterface`. Only operations on a path from a variable to
    the value are visited, last one first; where several gradients meet they are added (`arith.addf`) in that
    order, so the result does not depend on anything but the program. A variable that does not reach the value
    gets zeros and a warning. A variable is independent: the gradient does not pass through what computes it.

    Gradients are expanded in program order, so a value may contain gradients that stand before it. Gradients of one
    value that stand apart repeat operations; `cse` joins them.

    An operation on a path that has no gradient is an error, which names the operation and the variable.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tutti::train::TrainDialect"];
  let statistics = [
    Statistic<"expanded", "expanded", "train.gradient operations expanded">,
    Statistic<"differentiated", "differentiated", "operations differentiated">,
    Statistic<"sums", "sums", "additions of gradients that meet">,
    Statistic<"zeros", "zeros", "variables without gradient">
  ];
}

#endif // TUTTI_PASSES_GRADIENT_PASSES_TD
