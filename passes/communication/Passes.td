// Passes on the collectives of a program. Passes are listed alphabetically.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COMMUNICATION_PASSES
#define TUTTI_COMMUNICATION_PASSES

include "mlir/Pass/PassBase.td"

def CollectiveCompressPass : Pass<"collective-compress", "::mlir::ModuleOp"> {
  let summary = "Reduce gradients as 16-bit floats";
  let description = [{
    Makes each `all_reduce` or `reduce_scatter` of a gradient (f32 or f64, `sum` or `mean`; what an optimizer takes
    or `train.mark_gradient` marks) a sum of `type`, between two conversions that are marked `collective.wire`. A
    mean is taken before the sum: the tensor is scaled by one over the number of ranks, so that the narrow sum is no
    larger than the mean and f16 cannot overflow by summing. The runtime adds narrow types in f32, in rank order,
    and rounds once. On one rank scale, conversions and collective fold away.

    What stays as it is gets a remark with the reason: tensors of fewer than `min-bytes` bytes, integers,
    reductions of anything else than gradients (metrics, statistics), `min`, `max` and `prod`. In a bucket, what stays
    becomes a bucket of its own.

    With `error-feedback` what a rank's gradient loses by the conversion is added to it in the next step; what the
    sum loses by being rounded is not. It is kept in a variable of each rank, `NAME.residual`. That needs the number
    of ranks, and a loss scale that does not change.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect", "::tutti::train::TrainDialect"];
  let options = [
    Option<"type", "type", "::tutti::communication::WireType", "::tutti::communication::WireType::F16",
           "Type on the wire",
           [{::llvm::cl::values(
             clEnumValN(::tutti::communication::WireType::F16, "f16", "IEEE binary16: 11 bits of 65504 at most"),
             clEnumValN(::tutti::communication::WireType::BF16, "bf16", "8 bits, the range of f32"))}]>,
    Option<"minBytes", "min-bytes", "int64_t", "0", "Smaller tensors stay as they are">,
    Option<"errorFeedback", "error-feedback", "bool", "false",
           "Add what the conversion loses to the gradient of the next step">
  ];
  let statistics = [
    Statistic<"compressedTensors", "tensors-compressed", "Tensors that travel narrow">,
    Statistic<"keptTensors", "tensors-kept", "Reduced tensors that stay as they are">
  ];
}

def CollectiveFusePass : Pass<"collective-fuse", "::mlir::ModuleOp"> {
  let summary = "Make one bucket of many collectives";
  let description = [{
    A bucket is one collective of several tensors: one call, one meeting of the ranks. It stands where
    the last of its inputs is made, so that it can begin while what follows is computed, and its inputs need
    no memory afterwards; so does a collective that is alone because it fills a bucket. Every element is
    reduced as before, so that no bit changes.

    `all_reduce`, `reduce_scatter`, `all_gather` and `broadcast` on tensors may be one if they stand in one
    block and agree in kind, group, reduction, axis or root, element type, the type before a conversion for
    the wire (`collective.wire`), and all marks that the program put on them; and if none is needed before
    the last is ready, which also keeps those apart that depend on each other. None goes past what makes or
    ends a group, a message, a barrier, or an operation within which ranks may communicate differently;
    and what not all ranks reach, or is `collective.distinct`, stays alone. What is marked
    `collective.regather` is in buckets of `first-bucket-bytes`, which stand where their first member is needed; what fills one alone
    is not joined with what is before it.
    All others are taken in the order in which they are ready; of those ready at once the name decides. Each that stays alone is a remark
    with the reason.

    One of these says where buckets end; two of them are an error:
    - `bucket-bytes`, and `first-bucket-bytes` for the first: a bucket ends before it grows larger. 0 is no
      limit. A collective that fills a bucket is one of its own; smaller ones before and after it share theirs.
    - `count`: collectives of each bucket.
    - `indices`: the last collective of each bucket, from 0 on, at most 8 (HCCL's
      `set_split_strategy_by_idx`). What is after the last index is one more bucket.
    - `percent`: the share of each bucket in all bytes, at most 8 (HCCL's `set_split_strategy_by_size`).
      A collective belongs to the share in which it begins.
    - `by=id`: those with the same number in their attribute `collective.bucket` (HCCL's `fusion_id`).
    - `mode=none` leaves all alone. `mode=auto` is an error that leads to `collective-choose`, where a cost model
      decides.

    `indices` and `percent` speak of those that may be one and have the most bytes: the gradients.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect"];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "-1",
           "Most bytes of a bucket, 0 for no limit (-1: 26214400)">,
    Option<"firstBucketBytes", "first-bucket-bytes", "int64_t", "-1",
           "Most bytes of the first bucket, 0 for no limit but that of the others (-1: 1048576)">,
    Option<"count", "count", "int64_t", "-1", "Collectives of each bucket (-1: by bytes)">,
    ListOption<"indices", "indices", "int64_t", "The last collective of each bucket, ascending">,
    ListOption<"percent", "percent", "double", "Share of each bucket in all bytes, together 100">,
    Option<"by", "by", "std::string", "\"\"", "id: by the attribute collective.bucket">,
    Option<"mode", "mode", "std::string", "\"fixed\"", "fixed, auto or none">
  ];
  let statistics = [
    Statistic<"fused", "collectives-fused", "Collectives that are in a bucket with others">,
    Statistic<"buckets", "buckets", "Buckets made of several collectives">,
    Statistic<"alone", "collectives-alone", "Collectives that stay alone">
  ];
}

def CollectiveHierarchyPass : Pass<"collective-hierarchy", "::mlir::ModuleOp"> {
  let summary = "Reduce within each node before reducing across nodes";
  let description = [{
    An `all_reduce` on the world becomes a `reduce_scatter` among the ranks of a node, an `all_reduce`
    of each part among the ranks of one number on all nodes, and an `all_gather` in the node. So each
    value crosses between nodes once for each of them, not once for each rank, and a node's ranks share
    that work. A bucket stays one bucket. Inputs whose first dimension the ranks of a node do not divide
    go as rows with zeros after. A mean is a sum that is divided at the end, as the runtime divides.

    With `ranks-per-node=L` neighbouring ranks make up a node: groups `blocks<L>` and `strided<L>`.
    Without, the number is the one that the launch wrote on the module (`collective.ranks_per_node`),
    and the groups are `per_node` and `across_nodes`, whose sizes are checked when the program starts.

    In a program of which neighbours hold parts (`distribute-tensor`) reductions among ranks that hold the same go so. Those of
    one node lie apart by the number of neighbours: their groups are listed. With one of them on each node all stays flat.

    Sums are taken in another order than by a flat reduction in rank order; with `dist-run --reductions
    by-node` both are taken in the order of this pass, and have equal bits. A `reduce_scatter` on the world, as sharded
    optimizers have it, stays flat, with a remark.

    ```mlir
    %r = collective.all_reduce sum %a on @world : tensor<6xf32>
      ↓ ranks-per-node=2
    %p = collective.reduce_scatter sum %a along 0 on @node : tensor<6xf32> -> tensor<3xf32>
    %s = collective.all_reduce sum %p on @across_nodes : tensor<3xf32>
    %r = collective.all_gather %s along 0 on @node : tensor<3xf32> -> tensor<6xf32>
    ```
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::mlir::arith::ArithDialect"];
  let options = [
    Option<"ranksPerNode", "ranks-per-node", "int64_t", "0",
           "Number of ranks on each node; 0: as the launch found">,
    Option<"minBytes", "min-bytes", "int64_t", "0",
           "Leave smaller reductions flat; buckets of other limits then change the order of sums">
  ];
  let statistics = [
    Statistic<"split", "reductions-split", "Reductions that are hierarchical now">,
    Statistic<"left", "reductions-left", "Reductions on the world that stay flat">
  ];
}

def CollectiveOverlapPass : Pass<"collective-overlap", "::mlir::ModuleOp"> {
  let summary = "Communicate while computing";
  let description = [{
    Each collective on tensors becomes a `collective.async`, directly after the last producer of its
    inputs, and a `collective.await`, directly before its first use. A collective that takes over all
    that another gives joins its body: they run one after the other without the program.

    What only one collective needs is computed as soon as it can be, so that it starts early; what
    needs the outcome of communication (the optimizers) comes after all that does not, in the order
    in which the collectives start, so that the one that is started last is awaited last. What a collective
    does not need comes after its start, except in a step that gathers variables in parts
    (`shard-optimizer=3`), where values would stay alive for longer.

    The order is legal on any number of ranks because all ranks run this one program: they start the
    same collectives in the order in which they stand, on connections of their own beside those that
    are synchronous. A rank waits only for what stands before its await, which every other rank has
    started, or reaches without waiting for what stands after. Values stay the same bit for bit.

    What stands in a loop or a branch is started and awaited there. Collectives stay as they are where their
    outcome is needed before anything else can be computed, where branches between blocks lead to them, where not
    all ranks reach them, and if they are `collective.distinct`. A remark names
    each. What makes or ends a group, a message, a barrier, or an operation within which ranks may
    communicate differently keeps its side: what stands before it is awaited before it, and what stands
    after it starts after it.

    ```mlir
    %g = collective.all_reduce mean %a on @world : tensor<4xf32>
    %y = "work"(%x)
    %z = "update"(%g)
      ↓
    %f = collective.async {
      %g = collective.all_reduce mean %a on @world : tensor<4xf32>
      collective.yield %g : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    %y = "work"(%x)
    %h = collective.await %f : !collective.future<tensor<4xf32>>
    %z = "update"(%h)
    ```
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect"];
  let options = [
    ListOption<"kinds", "kinds", "std::string",
               "Only these kinds of collectives (all_reduce, all_gather, ...); all by default">
  ];
  let statistics = [
    Statistic<"asynchronous", "collectives-started", "Collectives that run beside computation">,
    Statistic<"chained", "collectives-chained", "Of those, how many take over from another">,
    Statistic<"synchronous", "collectives-left", "Collectives that stay synchronous">
  ];
}

def CollectiveSimplifyPass : Pass<"collective-simplify", "::mlir::ModuleOp"> {
  let summary = "Communicate less for the same values";
  let description = [{
    Works on collectives on tensors that are not asynchronous; buckets of several inputs are left to
    the passes that make them, but for inputs that need no communication. Where it says so, `U` is a
    value that is equal on all ranks of the group.

    | from | to | when |
    | --- | --- | --- |
    | `all_reduce` or `reduce` `min`, `max` of U | U | always |
    | `all_reduce` or `reduce` `mean` of U | U | `reassociate`: the sum may be rounded, or too large |
    | `all_reduce sum` of U | U times the size | integers; f16 if it has the size exactly; f32 and f64 up to 5 ranks; else `reassociate` |
    | `broadcast` of U | U | always |
    | `all_gather` of U | copies of U | static shape, 16 ranks or fewer |
    | `all_reduce`, then the slice at rank times its length | `reduce_scatter` | the slice is its only use |
    | `reduce_scatter`, then `all_gather` | `all_reduce` | not with `split-all-reduce` |
    | `all_reduce` | `reduce_scatter`, then `all_gather` | with `split-all-reduce`, if the size divides dimension 0 |
    | `all_reduce(a) + all_reduce(b)` | `all_reduce(a + b)` | `sum` of integers; `sum`, `mean` of floats with `reassociate` |
    | `all_reduce` on one group, then on another that crosses it | `all_reduce` on the world | `min`, `max`, `sum` of integers; others with `reassociate` |
    | moves, `min` and `max` of a widened value | widen what they give | the conversion loses nothing and keeps the order |

    Without `reassociate` every rewrite keeps all bits. With it, sums are taken in another order, which
    changes rounding.

    Nothing is rewritten that not all ranks reach, or that is `collective.distinct`; and two collectives
    become one only within a block, where nothing between them makes or ends a group, is a message or a
    barrier, or holds communication that ranks may decide about differently.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"reassociate", "reassociate", "bool", "false",
           "Allow rewrites that add floats in another order">,
    Option<"splitAllReduce", "split-all-reduce", "bool", "false",
           "Make each all_reduce a reduce_scatter and an all_gather">
  ];
  let statistics = [
    Statistic<"uniformInputs", "inputs-uniform", "Inputs that needed no communication">,
    Statistic<"scattered", "reductions-scattered", "all_reduce and slice made reduce_scatter">,
    Statistic<"joined", "pairs-joined", "reduce_scatter and all_gather made all_reduce">,
    Statistic<"split", "reductions-split", "all_reduce made reduce_scatter and all_gather">,
    Statistic<"added", "sums-merged", "Sums of two all_reduce made one">,
    Statistic<"unnested", "groups-merged", "all_reduce of all_reduce made one on the world">,
    Statistic<"narrowed", "wires-narrowed", "Conversions moved after a collective">
  ];
}

def CollectiveVerifyOrderPass : Pass<"collective-verify-order", "::mlir::ModuleOp"> {
  let summary = "Prove that all ranks issue the same collectives in the same order";
  let description = [{
    Changes nothing; fails with the operation, the branch and where the ranks part
    - at a collective that not all ranks of its group reach equally often: under a branch or in a loop
      that ranks decide differently, in a function called from there, or after an early exit;
    - at a collective in a region that runs an unknown number of times or in an undefined order;
    - at a future that is never awaited;
    - at communication on a group `at_run_time` before it is made or after it is destroyed, and where
      that depends on the way taken;
    - in a program with tables (`ps`), where `@step` does not push once to each table, whatever happens in it, or
      pushes scalars that workers have of their own; at a pull after the push of its table, under a branch or in
      a loop that workers decide differently, in `@initialize`, or whose rows nobody uses; at a second pull of a
      whole variable; and at a push elsewhere.

    Where the number of ranks is known (from the size of a group, or `ranks`), programs in which ranks
    communicate different things are proved by evaluating them once for each rank: members of a group
    may communicate under a condition on the rank, and every send needs its receive, of the same tag
    and types, in an order in which no rank waits for itself even if every send waits for its receive.
    A peer or a branch that depends on data cannot be proved and is an error.

    Where it is not known, messages are not checked, with a warning.
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "0",
                        "Number of ranks, if no group tells it">];
  let statistics = [
    Statistic<"collectives", "collectives-proved", "Collectives proved">,
    Statistic<"evaluatedRanks", "ranks-evaluated", "Evaluations of a function for one rank">
  ];
}

#endif // TUTTI_COMMUNICATION_PASSES
