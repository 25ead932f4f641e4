// The pass of diloco=H.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_DILOCO
#define TUTTI_DISTRIBUTION_DILOCO

include "passes/distribution/PassClasses.td"

def DilocoPass : DistributionLaunchPass<"distribute-diloco", "Runs"> {
  let summary = "Let each rank train on its own, and take an outer step with what the ranks have moved";
  let description = [{
    Each rank updates variables of its own (`per_rank`), as with `distribute-local-sgd`. After every `every`-th step the outer
    optimizer takes one step: with `start` what the variable was after the last outer step, and `now` what a rank has made of it,

        g = mean over ranks of (start - now)
        velocity = outer-momentum * velocity + g
        start = start - outer-rate * (g + outer-momentum * velocity)

    which is SGD with Nesterov's momentum as PyTorch has it, and every rank goes on from `start` (Douillard et al. 2023, DiLoCo, algorithm
    1). `W.diloco_start`, which begins as the variable W does, and `W.diloco_velocity`, which begins as zero, are replicated states. The
    states of the inner optimizer are each rank's own, and running statistics that differ become their means. Means are weighted where ranks
    hold unequal parts of the batch. On one rank the outer step is taken, too, with what this rank has moved.

    With an outer rate of 1 and no outer momentum `start - g` is the mean over ranks of `now`: this mean is taken, the program is that of
    `distribute-local-sgd`, and no state is added. With `every=1` and plain SGD that is synchronous training: bit for bit on one rank, and
    on several where no sum rounds. Where sums round the last bits differ, because the mean of updated variables is not rounded where the
    update by the mean of gradients is.

    Fails when the number of ranks is not known yet, when gradients are reduced already, or when the states of optimizers are sharded.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"every", "every", "int64_t", "0", "Steps from one outer step to the next">,
    Option<"outerRate", "outer-rate", "double", "0.7", "Learning rate of the outer step">,
    Option<"outerMomentum", "outer-momentum", "double", "0.9", "Momentum of the outer step">
  ];
  let statistics = [
    Statistic<"localVariables", "variables-local", "Variables of which each rank has its own">,
    Statistic<"outerVariables", "variables-outer", "Variables that the outer optimizer updates">
  ];
}

#endif // TUTTI_DISTRIBUTION_DILOCO
