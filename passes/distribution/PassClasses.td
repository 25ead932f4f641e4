// What the passes of the distribution stage have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_PASSCLASSES
#define TUTTI_DISTRIBUTION_PASSCLASSES

include "mlir/Pass/PassBase.td"

class DistributionPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect"];
}

/// A pass that a program may put off until its launch, because it needs the number of ranks. It rewrites, and writes no file.
/// `onOneRank` says what becomes of it if that number is one: Dropped, Runs, or Refuses if it has an error to tell then.
class DistributionLaunchPass<string flag, string onOneRank = "Dropped"> : DistributionPass<flag> {
  string whatOneRankDoes = onOneRank;
}

/// How gradients become one: as their mean over what `of` says, or their sum over what `sumOf` says.
class ReductionOption<string help, string of, string sumOf>
    : Option<"reduction", "reduction", "::tutti::distribution::GradientReduction",
             "::tutti::distribution::GradientReduction::Mean", help,
             "::llvm::cl::values("
             "clEnumValN(::tutti::distribution::GradientReduction::Mean, \"mean\", \"Mean over " # of # "\"), "
             "clEnumValN(::tutti::distribution::GradientReduction::Sum, \"sum\", \"Sum over " # sumOf # "\"))">;

#endif // TUTTI_DISTRIBUTION_PASSCLASSES
