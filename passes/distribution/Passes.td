// Passes of the distribution stage, alphabetically; passes/strategies has their order. Passes of strategies of their own have files
// of their own beside this one, which the build finds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_PASSES
#define TUTTI_DISTRIBUTION_PASSES

include "passes/distribution/PassClasses.td"

def AccumulateGradientsPass : DistributionPass<"distribute-accumulate-gradients"> {
  let summary = "Compute gradients on one part of the batch after the other";
  let description = [{
    Puts forward and backward of `@step` into a loop over `micro-batches` equal parts of its batch, so that only one
    part's activations are in memory at a time. Gradients are averaged (`reduction=mean`, right for losses that are means
    over samples) or added up (`sum`); each micro-batch's share is scaled before it is added. What is computed from
    gradients stays after the loop: they are reduced over ranks, and variables updated, once in a step. Scalar float
    metrics are averaged, outputs with a row for each sample are put together, and variables that forward updates
    (running statistics) are handed from one micro-batch to the next. With `micro-batches=1` the step stays as it is.

    Of tables that servers hold, the rows of the whole batch are pulled in front of the loop, which takes parts of them,
    and the lists of rows that are their gradients are put together and pushed after it. Where indices are computed, a
    loop of its own does so for each micro-batch. If dimension 0 of the indices is not that of the samples, or they depend
    on more than the batch, the pull stays in the loop, with a remark, and its table is not `prefetch` any more.

    An operation that takes statistics of its batch takes those of each micro-batch, with a remark. Where the number
    of micro-batches does not divide the samples of a rank, `train-specialize-batch` says so.

    Fails when gradients or metrics are reduced already, when a variable with a gradient is updated by an operation
    that is no optimizer, when a value has no mean over micro-batches, when the length of a list that is pushed is not
    known in front of the loop, and when the step accumulates already.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"microBatches", "micro-batches", "int64_t", "1", "Parts of a rank's batch">,
    ReductionOption<"How gradients of micro-batches become one", "samples", "micro-batches">
  ];
  let statistics = [
    Statistic<"accumulatedGradients", "gradients-accumulated", "Gradients that are accumulated">
  ];
}

def BroadcastVariablesPass : DistributionPass<"distribute-broadcast-variables"> {
  let summary = "Give every rank the initial variables of one rank";
  let description = [{
    In `@initialize`, broadcasts the returned variables from rank `root`: one `collective.broadcast`
    for each element type. All mutable state is broadcast: trainable variables, optimizer states and
    running statistics; with `trainable-only`, as some systems do it, only the first. A variable that
    is broadcast already is left alone, so a second application changes nothing. So is one of which each
    rank holds a part or a value of its own.
  }];
  let options = [
    Option<"root", "root", "int64_t", "0", "Rank whose values all others get">,
    Option<"trainableOnly", "trainable-only", "bool", "false",
           "Leave optimizer states and running statistics as each rank computes them">
  ];
  let statistics = [
    Statistic<"broadcastVariables", "variables-broadcast", "Variables that are broadcast">,
    Statistic<"skippedVariables", "variables-skipped", "Variables left alone">
  ];
}

def LintPass : DistributionPass<"distribute-lint"> {
  let summary = "Tell what is seldom meant on many ranks";
  let description = [{
    Looks at `@step` after gradients and metrics are reduced. Each finding is an analysis remark at the node,
    with the lint's name as the argument `lint`; with `errors` it is an error. Nothing is changed, and without
    remarks or `errors` nothing is looked at.

    - `batch-statistics`: an operation normalizes by the rank's own part of the batch.
    - `local-count`: a loss is divided by a count or a weight that differs between ranks, so that the mean over
      ranks is not the mean over samples.
    - `norm-before-reduce`: a tensor is scaled by a number of the rank's own before it is reduced, as a clip by
      the norm of unreduced gradients does.
    - `no-gradient`: a trainable variable that no optimizer updates, or that the loss does not depend on.
    - `equal-seed`: random values of a fixed seed, or of a replicated source, meet samples; all ranks draw the same.
  }];
  let options = [Option<"errors", "errors", "bool", "false", "Make findings errors">];
  let statistics = [Statistic<"findings", "findings", "What was found">];
}

def LocalSgdPass : DistributionLaunchPass<"distribute-local-sgd"> {
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

def ParameterServerPass : DistributionPass<"distribute-parameter-server"> {
  let summary = "Let servers hold tables of which a step touches a few rows, and update them";
  let description = [{
    A variable becomes a `ps.table` if nothing but lookups reads it, if its gradient is a list of rows, or a sum of lists, and if
    its optimizer, which may scale the gradient first, works element by element. Lookups become `ps.pull_rows`, in
    `@evaluate` too; the optimizer becomes a `ps.push_rows` of the merged rows, and a function of its own that
    the servers run on the rows and states that they hold. Rates and counters, which the optimizer takes beside, go along with the
    push. Neither the table nor its states are variables of the program any more.

    Without `tables` those of at least `min-bytes` bytes are chosen, where the optimizer leaves rows alone that have no
    gradient; a remark says why another table stays. Variables that `tables` names are served or are an error that says what
    keeps them from it. With `lazy` the optimizer may be any that works row by row: then momentum, decay and the like happen to
    a row in the steps that touch it, and not in the others, as sparse optimizers of other systems do.

    Any other variable that `tables` names is served whole: the step begins with a `ps.pull` and the optimizer becomes a
    `ps.push`. Nothing but its optimizer may take its gradient, which is not known before the servers have added it up.

    `reduction` says how the gradients of workers become one, as for other variables. For one worker the program computes what it
    did before.

    With `asynchronous` workers have no common steps: servers update by each push at once. Then every variable that an
    optimizer updates must be served. `staleness` bounds by how many steps a worker may be ahead of the slowest; the first `warm-up` steps are common ones: an optimizer
    that has just begun, such as Adagrad, takes its largest steps, and takes one where it would take one for each worker.

    With `wire` rows and their gradients are rounded to 16 bits on their way; whole variables are not.

    `initial` replaces how tables begin: rules `normal:MEAN:DEVIATION` or `uniform:FROM:TO`, after a glob and a colon for tables of some
    names alone. Each row is then drawn when it is first used (`#ps.random`), and values that the program has are dropped.

    With `prefetch` tables are marked whose rows a step needs are known from its batch alone, so that workers ask for those of the next
    step ahead; a remark says why another table is not.
  }];
  let dependentDialects = ["::tutti::ps::PsDialect", "::tutti::train::TrainDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    ListOption<"tables", "tables", "std::string", "Names of variables, or globs; without any, large ones are chosen">,
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"64 << 20", "Smaller tables stay with the workers if nobody asks">,
    Option<"lazy", "lazy", "bool", "false", "Take optimizers that would change rows without a gradient">,
    Option<"placement", "placement", "::tutti::distribution::TablePlacement",
           "::tutti::distribution::TablePlacement::Range", "Which server holds a row",
           [{::llvm::cl::values(
             clEnumValN(::tutti::distribution::TablePlacement::Range, "range", "Neighbouring rows together"),
             clEnumValN(::tutti::distribution::TablePlacement::Hash, "hash", "By a hash of the index"))}]>,
    ReductionOption<"How gradients of workers become one", "workers", "workers">,
    Option<"asynchronous", "asynchronous", "bool", "false", "Workers have no common steps">,
    Option<"staleness", "staleness", "int64_t", "-1", "By how many steps an asynchronous worker may be ahead; -1: no bound">,
    Option<"warmUp", "warm-up", "int64_t", "0", "How many steps asynchronous workers do together first">,
    ListOption<"initial", "initial", "std::string", "[GLOB:]normal:MEAN:DEVIATION or [GLOB:]uniform:FROM:TO: as what tables begin">,
    Option<"prefetch", "prefetch", "bool", "false", "Ask ahead for the rows of the next step">,
    Option<"wire", "wire", "::tutti::distribution::TableWire", "::tutti::distribution::TableWire::None", "As what rows travel",
           [{::llvm::cl::values(
             clEnumValN(::tutti::distribution::TableWire::None, "none", "As they are"),
             clEnumValN(::tutti::distribution::TableWire::BF16, "bf16", "Rounded to bf16"),
             clEnumValN(::tutti::distribution::TableWire::F16, "f16", "Rounded to f16"))}]>
  ];
  let statistics = [Statistic<"servedTables", "tables-served", "Variables that servers hold">];
}

def PrintUniformityPass : DistributionPass<"distribute-print-uniformity"> {
  let summary = "Print for each value whether it is equal on every rank";
  let description = [{
    Prints, function by function, every argument and operation with `uniform` or `varying` for each
    value, and `divergent` before operations that not all ranks execute equally often. Changes nothing.

    With `layouts`, the layout of each value instead (docs/layout.md), of the step by the rules of its operations:
    `Replicate` is what is uniform; of what varies, `Shard(0)` is a part of one value along dimension 0, `Partial(sum)` a
    summand, and `Own` all of which nothing is known.
  }];
  let options = [
    Option<"layouts", "layouts", "bool", "false", "Say how each value lies on the ranks">
  ];
}

def ReduceGradientsPass : DistributionPass<"distribute-reduce-gradients"> {
  let summary = "Reduce each gradient over the ranks before its variable is updated";
  let description = [{
    Finds gradients through `OptimizerOpInterface`, `train.mark_gradient` and the attribute `train.gradient`, in whose
    place it writes `train.mark_gradient`, and inserts one
    `collective.all_reduce` for each, directly before the first optimizer that uses any of them where
    possible, in the order in which the optimizers stand. Where a gradient is unscaled, checked to be finite or
    clipped before the update, the reduction comes before all of these. A gradient that feeds several
    optimizers is reduced once. A gradient that is equal on every rank already is left alone, with a remark; so the
    pass never reduces twice.

    `reduction=mean` gives the gradient of the mean loss over all samples, which is what one device
    computes. When the dataset's policy is `weighted`, ranks hold unequal parts, and the mean is the
    sum of gradients scaled by `train.batch_weight`. `sum` is for losses that are sums over samples: a
    gradient that is equal on every rank is then multiplied by their number, which is its sum, and the module gets
    `train.sums_gradients`.

    Fails if the program has no gradient, or if no dataset is sharded (all gradients are equal then,
    and the ranks would all do the same work).
  }];
  let options = [
    ReductionOption<"How gradients of ranks become one", "samples", "ranks">
  ];
  let statistics = [
    Statistic<"reducedGradients", "gradients-reduced", "Gradients that are reduced">,
    Statistic<"uniformGradients", "gradients-uniform", "Gradients that were equal already">
  ];
}

def ReduceMetricsPass : DistributionPass<"distribute-reduce-metrics"> {
  let summary = "Average the metrics of the step over the ranks";
  let description = [{
    Each scalar float metric that `@step` returns and that differs between ranks becomes its mean over
    all samples: one `collective.all_reduce` for each element type. Metrics of other types stay what
    this rank computes, with a remark.
  }];
  let statistics = [
    Statistic<"reducedMetrics", "metrics-reduced", "Metrics that are reduced">,
    Statistic<"skippedMetrics", "metrics-skipped", "Varying metrics that have no mean">
  ];
}

def ReduceTotalsPass : DistributionPass<"distribute-reduce-totals"> {
  let summary = "Add up over the ranks what a loss is divided by";
  let description = [{
    In `@step`, each `train.batch_total` becomes one `collective.all_reduce`, and each `train.batch_share` this
    rank's share of its operand: 1/N of it, or `train.batch_weight` where ranks hold unequal parts. With
    `reduction=sum`, as gradients of ranks are then added up, it is the operand. A `train.batch_sum` is divided by the
    share, but where it waits for its reduction as a gradient or a metric. `train.batch_gather` becomes a
    `collective.all_gather`, `train.batch_scatter` a `collective.reduce_scatter`, and `train.batch_piece` the
    `train.piece` of this rank.

    With `local`, where each rank trains on its own, only what metrics alone need is made of the samples of all ranks; what
    trains is made of the rank's own, with a warning.

    Fails where samples are exchanged although ranks hold unequal parts of the batch.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    ReductionOption<"How gradients of ranks become one", "samples", "ranks">,
    Option<"local", "local", "bool", "false", "Ranks train on their own: only metrics are made of all samples">
  ];
  let statistics = [
    Statistic<"reducedTotals", "totals-reduced", "Totals that are reduced">,
    Statistic<"movedSamples", "samples-moved", "Values of which ranks exchange samples">
  ];
}

def ScaleLearningRatePass : DistributionPass<"distribute-scale-learning-rate"> {
  let summary = "Scale learning rates with the number of ranks";
  let description = [{
    Multiplies the learning rate of every optimizer by the number of ranks (`linear`) or its square
    root (`sqrt`), for programs whose global batch grows with it. `none` leaves it. On one rank the
    factor folds away. Fails when a learning rate is scaled by the number of ranks already.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"mode", "mode", "::tutti::distribution::RateScaling",
           "::tutti::distribution::RateScaling::None", "How the factor follows from the ranks",
           [{::llvm::cl::values(
             clEnumValN(::tutti::distribution::RateScaling::None, "none", "Leave learning rates"),
             clEnumValN(::tutti::distribution::RateScaling::Linear, "linear", "Number of ranks"),
             clEnumValN(::tutti::distribution::RateScaling::Sqrt, "sqrt", "Its square root"))}]>
  ];
  let statistics = [Statistic<"scaledRates", "rates-scaled", "Learning rates that are scaled">];
}

def ShardDatasetsPass : DistributionPass<"distribute-shard-datasets"> {
  let summary = "Divide each global batch among the ranks";
  let description = [{
    Sets the `shard` attribute of every `train.dataset`, which makes its batches a part of the global
    batch: samples r, r + N, ... of it for rank r of N (`strided`), or one block (`contiguous`).
    `batch-policy` says what happens when N does not divide the global batch; it is applied when the
    number of ranks is known (`specialize-world`). A dataset that is sharded in the same way is left
    alone, one sharded in another way is an error, and so is a program without datasets.
  }];
  let options = [
    Option<"mode", "shard", "::tutti::train::ShardMode", "::tutti::train::ShardMode::Strided",
           "Which samples a rank takes",
           [{::llvm::cl::values(
             clEnumValN(::tutti::train::ShardMode::Strided, "strided", "Every N-th sample"),
             clEnumValN(::tutti::train::ShardMode::Contiguous, "contiguous", "One block"))}]>,
    Option<"batchPolicy", "batch-policy", "::tutti::train::BatchPolicy",
           "::tutti::train::BatchPolicy::Error", "When the ranks do not divide the global batch",
           [{::llvm::cl::values(
             clEnumValN(::tutti::train::BatchPolicy::Error, "error", "Refuse"),
             clEnumValN(::tutti::train::BatchPolicy::Drop, "drop", "Leave the remainder out"),
             clEnumValN(::tutti::train::BatchPolicy::Pad, "pad", "Repeat samples"),
             clEnumValN(::tutti::train::BatchPolicy::Weighted, "weighted", "Weight unequal parts"))}]>
  ];
  let statistics = [Statistic<"shardedDatasets", "datasets-sharded", "Datasets that are sharded">];
}

def ShardOptimizerPass : DistributionLaunchPass<"distribute-shard-optimizer"> {
  let summary = "Let each rank keep and update a part of the optimizer's states (ZeRO)";
  let description = [{
    Every optimizer of `@step` is computed on the rank's part of its variable: the states become `sharded`
    variables of 1/N of the elements, the gradient is reduced and scattered instead of reduced for all, and
    the new parts of the variable are gathered. A value is cut as `sharded` of `#train.variable` says:
    flattened, filled up with zeros to a multiple of N. What stands between the reduction, the optimizer
    and the end of the step and works element by element (scaling, clipping, skipping a step) is computed
    on parts, too. Sums are taken in rank order as before, so that the bits are those of the unsharded step.

    Stage 1 promises 1/N of the states only: a reduced gradient that something else takes as well, such as
    a norm, is kept whole on every rank, with a remark. Stage 2 promises that no whole reduced gradient
    exists, and fails there. But norms and finite checks (`train.global_norm`, `train.all_finite`) are taken of
    the parts, and one `all_reduce` of a scalar tells all ranks what each found. The squares are then not added in the order
    in which one rank adds them: with a norm, and only then, the bits are not those of the unsharded step.

    Stage 3 keeps the variables in parts as well (FSDP). A function gathers the whole of a variable before its first use, and `@step`
    once more before the first use of the backward pass, of which no metric is made; in a loop over micro-batches each of them does.
    These gathers are `collective.regather`: the gathered value ends with its last use, and two of one variable stay two. What only converts or
    rearranges a variable is computed anew in the backward pass. With `keep-gathered=BYTES` some variables, of so many bytes in all, are
    gathered once, before a loop over micro-batches, too, and live to their last use: those that save the most gathers for a byte
    and the time that it is kept. Nothing is gathered after the update. Reductions are
    scattered where the gradient is made.

    Optimizers without states (but under stage 3), of scalars, and of fewer than `min-elements` elements stay as they are, with
    a remark. Needs the number of ranks; on one rank it does nothing.

    Fails at an optimizer that is not known to work element by element or stands in a region, whose gradient is
    not reduced, whose variable or state is each rank's own, sharded already, shared with another optimizer
    or no variable, or whose state another function takes.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"stage", "stage", "int64_t", "1",
           "1: states; 2: states and gradients; 3: states, gradients and variables">,
    Option<"minElements", "min-elements", "int64_t", "0",
           "Leave the optimizers of variables of fewer elements on every rank">,
    Option<"keepGathered", "keep-gathered", "int64_t", "0",
           "With stage=3, gather variables of so many bytes once a step, and keep them to their last use; -1: all">
  ];
  let statistics = [
    Statistic<"shardedOptimizers", "optimizers-sharded", "Optimizers that are sharded">,
    Statistic<"shardedStates", "states-sharded", "States that are sharded">,
    Statistic<"replicatedOptimizers", "optimizers-replicated", "Optimizers that stay on every rank">,
    Statistic<"measuredParts", "parts-measured", "Norms and finite checks that are taken of parts">,
    Statistic<"wholeGradients", "gradients-whole", "Gradients that are kept whole">,
    Statistic<"variableGathers", "variables-gathered", "Gathers of variables before they are used">,
    Statistic<"keptVariables", "variables-kept", "Variables that are gathered once and kept">
  ];
}

def SparseGradientsPass : DistributionPass<"distribute-sparse-gradients"> {
  let summary = "Gather the rows of a table's gradient instead of reducing the table";
  let description = [{
    Where an operand of a `collective.all_reduce` (sum or mean) is a `train.scatter_rows`, perhaps scaled, the reduction
    can move the rows instead: each rank merges its rows, the lists of all ranks are joined in rank order, merged again
    and divided by the number of ranks where the mean is wanted. The bits are those of the reduced table.

    With `mode=auto` the form that moves fewer bytes is taken. For N ranks the rows take (N-1)/N of the bytes of all
    their rows and indices together, the table (N-1)/N of twice its bytes; so the choice depends on the global batch, not on
    N. It is left at the table where the global batch is not known, and where the rows do not follow from the batch. A remark
    names the variable, the choice and both numbers. `mode=rows` fails where no reduced gradient is a list of rows.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"mode", "mode", "::tutti::distribution::SparseMode",
           "::tutti::distribution::SparseMode::Auto", "What a list of rows travels as",
           [{::llvm::cl::values(
             clEnumValN(::tutti::distribution::SparseMode::Auto, "auto", "What moves fewer bytes"),
             clEnumValN(::tutti::distribution::SparseMode::Rows, "rows", "Its rows"),
             clEnumValN(::tutti::distribution::SparseMode::Dense, "dense", "The whole table"))}]>
  ];
  let statistics = [
    Statistic<"rowReductions", "rows-gathered", "Gradients whose rows are gathered">,
    Statistic<"tableReductions", "tables-reduced", "Lists of rows that are reduced as whole tables">
  ];
}

def SyncBatchNormPass : DistributionPass<"distribute-sync-batch-norm"> {
  let summary = "Take batch statistics over the samples of all ranks";
  let description = [{
    With `enable`, operations with `BatchStatisticsOpInterface` (batch normalization and its gradient)
    normalize by the statistics of the global batch, as one device does; it costs an `all_reduce` of
    one mean for each of the two statistics, forward and backward.

    Without, each rank normalizes by its own part of the batch. Running statistics would then differ
    between ranks, so they are averaged before anything else is done with them. The mean of variances
    of parts is not the variance of the whole; the remark says so.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Synchronise the statistics that normalize">
  ];
  let statistics = [
    Statistic<"synchronizedOps", "operations-synchronized", "Operations with synchronised statistics">,
    Statistic<"averagedStatistics", "statistics-averaged", "Running statistics that are averaged">
  ];
}

def VerifyReplicationPass : DistributionLaunchPass<"distribute-verify-replication"> {
  let summary = "Prove that variables stay equal on every rank, and gradients are reduced and divided once";
  let description = [{
    Follows values over the step and fails
    - at each replicated variable that `@initialize` or `@step` returns and that may differ between
      ranks, with notes on the operation that makes it vary and the way from there;
    - at each optimizer or marked gradient that is not reduced, unless the variable is each rank's own. The part of a
      reduced gradient that a rank keeps to update its part of a variable is reduced;
    - at each operation that reduces a gradient again, over a part of the ranks only, or by another kind than a sum;
      that divides it by the number of ranks once too often, or sums it and nothing divides; that takes a mean of
      means where ranks hold unequal parts of the batch or divide by counts of their own; that adds what is
      reduced, or scaled, to what is not; and where the same is done to variables, metrics and norms, or to what is
      pushed to servers, which divide by the number of workers. Gradients
      may be sums where the module has `train.sums_gradients`. What cannot be followed is a remark;
    - at each slice of a gradient or a variable that is not the rank's part; each update whose variable, gradient and
      states are cut at different places; each `all_gather` that does not undo the cut, along its dimension and over its
      group; and each operation that makes a gradient of the samples of some ranks alone, as a broadcast of an input, a
      fixed part of a gathered list or a choice by rank does;
    - where a gradient is not reduced, unscaled, checked to be finite, measured, clipped and used in this
      order (`train.unscale`, `train.all_finite`, `train.global_norm`, `train.clip`), or one of these is done
      twice; and where ranks would clip by a norm, or skip a step, that each finds for itself;
    - at each collective that stands under control flow that ranks may decide differently;
    - where workers would keep servers waiting, or get rows by chance: see `collective-verify-order`.

    Changes nothing.
  }];
}

def VerifySamplesPass : DistributionPass<"distribute-verify-samples"> {
  let summary = "Find what each value is to the samples of the batch, and complete what is made of all of them";
  let description = [{
    Samples are an axis along which the arrays of the batch are cut. Operations answer by their rule of sharding
    (`ShardingRuleOpInterface`) what that makes of their results: pieces for each sample (Shard), summands or means of the
    parts (Partial), or the same on all parts (Replicate). In `@step`, where an operation needs another layout than a value
    has, the value is completed there, by operations that are the identity on one device:

    - a sum, a mean, a maximum or a minimum over samples that is used other than linearly (a root, a logarithm, a
      quotient of sums, a product of means) gets a `train.batch_total`; its gradient follows, because gradients are
      operations as all others;
    - samples that meet other samples (a product of all pairs, a softmax over the batch, a running sum, a flip) get a
      `train.batch_gather`, and their gradients a `train.batch_scatter`;
    - a gradient or a metric that is a sum over samples gets a `train.batch_sum`, by which it is reduced as a sum, where
      means are reduced as means; other variables that follow from the batch are completed.

    A step whose gradients and metrics are means of independent samples is left as it is. Fails, with the operation, the
    cause and a remedy, where a value cannot be had as it is needed. What comes of an operation without a rule stays as
    each part has it. A program that is distributed already is not touched.
  }];
  let options = [
    Option<"gatherSamples", "gather-samples", "bool", "true",
           "Let ranks exchange samples where an operation couples them; else such programs are refused">
  ];
  let statistics = [
    Statistic<"completedSums", "sums-completed", "Uses of values that are completed over all samples">,
    Statistic<"movedSamples", "samples-moved", "Uses of values of which ranks exchange samples">
  ];
}

def VerifySingleDevicePass : DistributionPass<"distribute-verify-single-device"> {
  let summary = "Check that a program is ready to be distributed";
  let description = [{
    Fails when the module is not a training program with `@initialize` and `@step`, when it is
    distributed already, or when it holds gradients that are not expanded. Changes nothing.
  }];
}

#endif // TUTTI_DISTRIBUTION_PASSES
