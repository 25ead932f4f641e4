// Passes of the distribution stage that put the step into loops and branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_LOOP_PASSES
#define TUTTI_DISTRIBUTION_LOOP_PASSES

include "mlir/Pass/PassBase.td"

def AccumulateGradientsPass : Pass<"distribute-accumulate-gradients", "::mlir::ModuleOp"> {
  let summary = "Compute gradients on one part of the batch after the other";
  let description = [{
    Puts forward and backward of `@step` into a loop over `micro-batches` equal parts of its batch, so that only one
    part's activations are in memory at a time. Gradients are averaged (`reduction=mean`, right for losses that are means
    over samples) or added up (`sum`); each micro-batch's share is scaled before it is added. What is computed from
    gradients stays behind the loop: they are reduced over ranks, and variables updated, once in a step. Scalar float
    metrics are averaged, outputs with a row for each sample are put together, and variables that forward updates
    (running statistics) are handed from one micro-batch to the next. With `micro-batches=1` the step stays as it is.

    An operation that takes statistics of its batch takes those of each micro-batch, with a remark. Where the number
    of micro-batches does not divide the samples of a rank, `train-specialize-batch` says so.

    Fails when gradients or metrics are reduced already, when a variable with a gradient is updated by an operation
    that is no optimizer, when a value has no mean over micro-batches, and when the step accumulates already.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"microBatches", "micro-batches", "int64_t", "1", "Parts of a rank's batch">,
    Option<"reduction", "reduction", "::tutti::distribution::GradientReduction",
           "::tutti::distribution::GradientReduction::Mean", "How gradients of micro-batches become one",
           [{::llvm::cl::values(
             clEnumValN(::tutti::distribution::GradientReduction::Mean, "mean", "Mean over samples"),
             clEnumValN(::tutti::distribution::GradientReduction::Sum, "sum", "Sum over micro-batches"))}]>
  ];
  let statistics = [
    Statistic<"accumulatedGradients", "gradients-accumulated", "Gradients that are accumulated">
  ];
}

def LocalSgdPass : Pass<"distribute-local-sgd", "::mlir::ModuleOp"> {
  let summary = "Let each rank train on its own, and average the variables now and then";
  let description = [{
    Instead of reducing gradients: each rank updates variables of its own (`per_rank`), and after every `every`-th step
    the trainable ones, and running statistics that differ, become their mean over the ranks, with `average-states` the
    states of optimizers too. The collective stands in a branch that all ranks take together, as a step counter decides
    that all have; one that the program has serves, else `local_sgd.step` is added to its variables. Means are weighted
    where ranks hold unequal parts of the batch. With `every=1` and plain SGD this is synchronous training.

    Fails when the number of ranks is not known yet, when gradients are reduced already, or when the states of
    optimizers are sharded: a rank could not update its own variables.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"every", "every", "int64_t", "1", "Steps from one average to the next">,
    Option<"averageStates", "average-states", "bool", "false", "Average the states of optimizers, too">
  ];
  let statistics = [
    Statistic<"localVariables", "variables-local", "Variables of which each rank has its own">,
    Statistic<"averagedVariables", "variables-averaged", "Variables that are averaged now and then">
  ];
}

#endif // TUTTI_DISTRIBUTION_LOOP_PASSES
