// The passes of mesh=tp:N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_TENSOR
#define TUTTI_DISTRIBUTION_TENSOR

include "passes/distribution/PassClasses.td"

def MeshPass : DistributionPass<"distribute-mesh"> {
  let summary = "Say that neighbouring ranks share one model";
  let description = [{
    Writes `train.mesh` on the module: `groups` groups of neighbouring ranks, as many as the ranks make if that is 0, of
    `neighbours` ranks each. Until `distribute-tensor` cuts the program among neighbours, a rank of the program stands for a
    group, and `specialize-world` counts groups.
  }];
  let options = [
    Option<"groups", "groups", "int64_t", "0", "Groups of neighbours; 0: as many as the ranks make">,
    Option<"neighbours", "neighbours", "int64_t", "1", "Ranks of each group">
  ];
}

def TensorPass : DistributionLaunchPass<"distribute-tensor"> {
  let summary = "Cut the variables of a step, and what is computed with them, among neighbouring ranks";
  let description = [{
    Tensor parallelism. Each rank of the program becomes a group of neighbours (`train.mesh`), which have the same samples and
    each a block of some variables. Variables are cut along one dimension: those that `rules` name, and with `auto` before them
    products with weights are paired as Megatron does (Shoeybi et al. 2019), the first cut along the columns of its weight, the
    second along the rows. A pair is cut only if nothing needs to be gathered and at most two sums over neighbours are added, one
    forward and one backward. What is computed of parts is computed in parts, by the rules of sharding of the operations; a
    variable that is used in parts only, such as a bias or a state of the optimizer, is kept in parts. Sums are reduced where that
    moves the fewest bytes; sums of products that meet are added first.

    With `sequence`, a sum of samples x tokens x features leaves each neighbour the tokens that are its own, if the neighbours divide
    them, instead of the whole (Korthikanti et al. 2022): what lies between two pairs, norms and sums with what comes before, is
    computed of these, and gathered before the next product with a part of a variable. Of each sum become a scatter and a gather,
    of as many bytes; gradients of what is computed so, such as the gains of norms, are summed over neighbours.

    `@initialize` makes whole variables, of which each rank takes its block. Functions other than `@step` gather the variables, and
    compute as before. Norms of gradients and finite checks combine what neighbours find. A Gemm that is cut along what it sums over
    adds its bias afterwards, once.

    The program is that of `distribute-mesh` groups before, and all communication of it stays in the group `@dp` of ranks that have
    the same parts. Does nothing to a program without `train.mesh`.

    Fails where a rule names no variable or a size that the ranks do not divide, and where the step communicates in a way that is
    not known to hold for parts.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [
    Option<"rules", "rules", "std::string", "\"auto\"", "auto, and PATTERN=DIMENSION or PATTERN=whole of variables, separated by semicolons">,
    Option<"sequence", "sequence", "bool", "false", "Divide the tokens between two pairs of products among neighbours">
  ];
  let statistics = [
    Statistic<"cutVariables", "variables-cut", "Variables of which each rank has a part">,
    Statistic<"sums", "sums", "Reductions over neighbours that were added to the step">,
    Statistic<"gathers", "gathers", "Values of the step that are gathered from neighbours">,
    Statistic<"scatters", "scatters", "Sums of which each neighbour keeps its tokens">
  ];
}

#endif // TUTTI_DISTRIBUTION_TENSOR
