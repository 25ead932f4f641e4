// Passes on training steps in generic StableHLO: roles in and out, distribution, collectives in and out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_STABLEHLO_PASSES
#define TUTTI_STABLEHLO_PASSES

include "mlir/Pass/PassBase.td"

def ImportRolesPass : Pass<"stablehlo-import-roles", "::mlir::ModuleOp"> {
  let summary = "Write down what the arguments and results of a StableHLO step are to training";
  let description = [{
    Takes a step as JAX exports it, in generic form, and makes a program of the contract of `train` of it: the
    function `entry` becomes `@step`, and its private callees become part of it.

    - State: an argument with `tf.aliasing_output = K` is the variable that result K returns. One with
      `jax.buffer_donor` belongs to the result of its type that nobody else is, or else the only one that it is updated
      into element by element; where that is not certain, an error says so. `variables` names pairs that are not marked.
    - Batch: of the other arguments, those that `inputs` lists; without it those of at least one dimension, whose first
      dimensions must agree. Keys of random numbers (`tensor<2xui32>`, `tensor<4xui32>`) are none. They are inputs of
      `@batch`, whose global batch is that dimension.
    - The rest of the arguments is given to all ranks alike: inputs of `@given`, which has no shard.
    - Results that are no state are metrics where they are scalars, outputs otherwise.

    A variable is trainable if it is of floats and a metric depends on it, `state` if it is of floats otherwise, and `other`
    if it is of integers. `@initialize` returns zeros: the host holds the values. The module declares which of its
    StableHLO operations compute the same on every rank.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"entry", "entry", "std::string", "\"main\"", "The function that is the step">,
    ListOption<"inputs", "inputs", "unsigned", "Arguments that hold the batch, by number">,
    ListOption<"variables", "variables", "std::string", "State that is not marked: ARGUMENT:RESULT, by number">
  ];
  let statistics = [
    Statistic<"variables_", "variables", "Arguments that are state">,
    Statistic<"inputs_", "inputs", "Arguments that hold the batch">
  ];
}

def DistributePass : Pass<"stablehlo-distribute", "::mlir::ModuleOp"> {
  let summary = "Divide the batch of a StableHLO step among ranks";
  let description = [{
    Makes of a step with roles (`stablehlo-import-roles`) the program of each of `ranks` ranks: the inputs of `@batch`
    become blocks of its first dimension, and every shape that follows from it shrinks. Which values
    differ is found by an analysis of every operation. Where samples are summed, ranks have sums of their own; a
    `collective.all_reduce` takes them where the fewest bytes travel. What the step returns is whole on every rank.

    Constants are those of one device, such as the number of samples that a mean is divided by: so the results are,
    too, but for the order of sums. An operation that combines samples in a way that is not known is an error. One rank
    gets the program back as it was.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect"];
  let options = [Option<"ranks", "ranks", "int64_t", "0", "The number of ranks">];
  let statistics = [
    Statistic<"sums", "sums", "Reductions over ranks">,
    Statistic<"gathers", "gathers", "Results that are gathered from the ranks">
  ];
}

def ExportRolesPass : Pass<"stablehlo-export-roles", "::mlir::ModuleOp"> {
  let summary = "Give a StableHLO step back as it came";
  let description = [{
    The opposite of `stablehlo-import-roles`: `@step` is `entry` again, results and aliases stand where they stood, roles,
    datasets and `@initialize` go, and `mhlo.num_replicas` says for how many ranks the program is.
  }];
  let options = [Option<"entry", "entry", "std::string", "\"main\"", "What the step is called">];
}

def StablehloToCollectivePass : Pass<"convert-stablehlo-to-collective", "::mlir::ModuleOp"> {
  let summary = "Read the collectives of StableHLO";
  let description = [{
    `all_reduce`, `reduce_scatter`, `all_gather`, `all_to_all`, `collective_broadcast` and `collective_permute` in generic
    form become collectives; `async_start` and `async_done` become `collective.async` and `collective.await`. Replica groups
    become groups of ranks: `@world` where they hold all replicas in order. What of the original is not said by the
    collective stays as an attribute of it: whether it has a channel.

    Fails where there is no equal: reductions other than add, multiply, minimum and maximum, groups by mesh axes,
    roots that are computed, element types that ranks cannot reduce, and groups in which a replica stands twice.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect"]; // which brings arith
  let options = [Option<"ranks", "ranks", "int64_t", "0",
                        "The number of replicas, where neither mhlo.num_replicas nor the groups say it">];
  let statistics = [Statistic<"convertedOps", "operations-converted", "Operations converted">];
}

def CollectiveToStablehloPass : Pass<"convert-collective-to-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Write collectives as StableHLO, so that XLA runs them";
  let description = [{
    The opposite of `convert-stablehlo-to-collective`. Channels are counted in the order of the program. A mean
    is a sum and a division by the size of the group. What StableHLO has for one tensor only becomes an operation for
    each tensor of a bucket.

    Fails where there is no equal: collectives on memrefs, messages, barriers, `reduce`, `gather`, `scatter`, `all_to_all_v`, means of sets
    of different sizes, a future of several dependent collectives, and groups whose ranks are not known.
  }];
  let statistics = [Statistic<"convertedOps", "operations-converted", "Operations converted">];
}

#endif // TUTTI_STABLEHLO_PASSES
