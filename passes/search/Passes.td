// The pass that chooses how a program is distributed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_SEARCH_PASSES
#define TUTTI_SEARCH_PASSES

include "mlir/Pass/PassBase.td"

def DistributeSearchPass : Pass<"distribute-search", "::mlir::ModuleOp"> {
  let summary = "Choose the keys of --distribute by the cost model, and distribute";
  let description = [{
    What `--distribute=auto` runs. Combinations of `mesh`, `sequence`, `shard-optimizer`, buckets, `overlap` and `hierarchy` that `keys`
    leave open are tried: a copy of the program goes through the passes of `--distribute` and is priced as
    `collective-emit-plan` prices it. The fastest that fits into the memory is then applied to the program, which becomes
    what these keys make of it, text for text. docs/plan.md says what is tried, and how the choice is explained.

    Remarks tell the choice, the second best, what makes the difference, and a line for each that was tried, refused or left out.
  }];
  let options = [
    Option<"keys", "keys", "std::string", "\"\"", "What is fixed, as --distribute has it">,
    Option<"cluster", "cluster", "std::string", "\"\"", "The file that describes the cluster, as of --calibrate">,
    Option<"ranks", "ranks", "int64_t", "0", "Number of ranks (0: those of the cluster)">,
    Option<"memory", "memory", "int64_t", "0", "Bytes that a rank may have (0: no limit)">,
    Option<"explainsTensors", "tensors", "bool", "false", "Find the second best form of each tensor, too">
  ];
  let statistics = [Statistic<"priced", "priced", "Candidates whose step was predicted">];
}

#endif // TUTTI_SEARCH_PASSES
