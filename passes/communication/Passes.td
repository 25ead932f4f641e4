// Passes on the collectives of a program. Passes are listed alphabetically.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COMMUNICATION_PASSES
#define TUTTI_COMMUNICATION_PASSES

include "mlir/Pass/PassBase.td"

def CollectiveSimplifyPass : Pass<"collective-simplify", "::mlir::ModuleOp"> {
  let summary = "Communicate less for the same values";
  let description = [{
    Works on collectives on tensors that are not asynchronous; buckets of several inputs are left to
    the passes that make them, but for inputs that need no communication. Where it says so, `U` is a
    value that is equal on all ranks of the group.

    | from | to | when |
    | --- | --- | --- |
    | `all_reduce` or `reduce` `mean`, `min`, `max` of U | U | always; a mean that is not rounded N times |
    | `all_reduce sum` of U | U times the size | integers; floats if the size is a power of two or 3, or `reassociate` |
    | `broadcast` of U | U | always |
    | `all_gather` of U | copies of U | static shape, 16 ranks or fewer |
    | `all_reduce`, then the slice at rank times its length | `reduce_scatter` | the slice is its only use |
    | `reduce_scatter`, then `all_gather` | `all_reduce` | not with `split-all-reduce` |
    | `all_reduce` | `reduce_scatter`, then `all_gather` | with `split-all-reduce`, if the size divides dimension 0 |
    | `all_reduce(a) + all_reduce(b)` | `all_reduce(a + b)` | `sum` of integers; `sum`, `mean` of floats with `reassociate` |
    | `all_reduce` on one group, then on another that crosses it | `all_reduce` on the world | `min`, `max`, `sum` of integers; others with `reassociate` |
    | moves, `min` and `max` of a widened value | widen what they give | the conversion loses nothing and keeps the order |

    Without `reassociate` every rewrite keeps all bits, but for `mean` of U. With it, sums are taken in
    another order, which changes rounding.
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
    Statistic<"narrowed", "wires-narrowed", "Conversions moved behind a collective">
  ];
}

def CollectiveVerifyOrderPass : Pass<"collective-verify-order", "::mlir::ModuleOp"> {
  let summary = "Prove that all ranks issue the same collectives in the same order";
  let description = [{
    Changes nothing; fails with the operation, the branch and where the ranks part
    - at a collective that not all ranks of its group reach equally often: under a branch or in a loop
      that ranks decide differently, in a function called from there, or behind an early exit;
    - at a collective in a region that runs an unknown number of times or in an undefined order;
    - at a future that is never awaited;
    - at communication on a group `at_run_time` before it is made or after it is destroyed, and where
      that depends on the way taken.

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
