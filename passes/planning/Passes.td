// Passes that know what communication costs. Passes are listed alphabetically.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PLANNING_PASSES
#define TUTTI_PLANNING_PASSES

include "mlir/Pass/PassBase.td"

def CollectiveChoosePass : Pass<"collective-choose", "::mlir::ModuleOp"> {
  let summary = "Choose buckets, hierarchy and strategy by the cost model";
  let description = [{
    Predicts the time of a step (docs/plan.md) under each alternative, and applies the fastest to the program. What a
    step computes is measured once, on a lowered copy; where collectives would be fused, split and started is found as
    the passes below find it, and played on that, so that an alternative costs no copy. Only another strategy, which
    computes otherwise, is measured anew. An alternative is a choice of each of
    - buckets: one collective each, limits from 64 KiB to 64 MiB in steps of 4 as far as the program has bytes for
      them, and one bucket of everything (`collective-fuse`);
    - hierarchy: none, or that of the cluster's nodes (`collective-hierarchy`), with `hierarchy=auto`;
    - strategy: dense gradients, or an optimizer that is shared between the ranks
      (`distribute-shard-optimizer`), with `shard-optimizer=auto`;
    each followed by `collective-overlap` if `overlap` is set. Of alternatives that are equally fast, to a thousandth,
    the first is taken: the one that changes least. A remark tells the choice, and the times of all alternatives.

    The number of ranks must be known, by specialize-world or at launch. On one rank nothing is done.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"cluster", "cluster", "std::string", "\"\"", "The file that describes the cluster, as of --calibrate">,
    Option<"buckets", "buckets", "std::string", "\"auto\"",
           "auto, none, or the options of collective-fuse, as \"bucket-bytes=1048576\"">,
    Option<"hierarchy", "hierarchy", "std::string", "\"none\"", "none, auto, or the ranks of a node">,
    Option<"shardOptimizer", "shard-optimizer", "std::string", "\"none\"",
           "none, auto (stage 1 if that is faster)">,
    Option<"overlap", "overlap", "bool", "false", "Communicate beside computation">
  ];
  let statistics = [Statistic<"alternatives", "alternatives", "Alternatives whose time was predicted">];
}

def CollectiveEmitPlanPass : Pass<"collective-emit-plan", "::mlir::ModuleOp"> {
  let summary = "Write down what a program communicates, and what that costs";
  let description = [{
    Changes nothing. Writes the plan, every call of the runtime in order, as JSON (`file`) or as a table for people
    (`table`); "-" is standard output, and a file is whole or absent. Sizes that are not static are unknown. With a
    `cluster` file each entry has its predicted time, and the step is predicted for this and for other numbers of
    ranks, from 1 to 16,384. docs/plan.md describes both forms.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "Write JSON to this file">,
    Option<"table", "table", "std::string", "\"\"", "Write a table to this file">,
    Option<"cluster", "cluster", "std::string", "\"\"", "The file that describes the cluster">,
    Option<"ranks", "ranks", "int64_t", "0",
           "Ranks of the prediction, if the program does not tell (0: those of the cluster)">
  ];
}

#endif // TUTTI_PLANNING_PASSES
