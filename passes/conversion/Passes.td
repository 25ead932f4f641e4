// Passes between the collective dialect and upstream's shard dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_CONVERSION_PASSES
#define TUTTI_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def CollectiveToShardPass : Pass<"convert-collective-to-shard", "::mlir::ModuleOp"> {
  let summary = "Express collectives on groups as communication over a grid of processes";
  let description = [{
    Declares a `shard.grid` and rewrites every operation of the collective dialect on tensors into
    one of upstream's `shard` dialect along axes of that grid; a bucket becomes one operation for each
    input. The shape of the grid is the option `shape`, or follows from the groups: `N/L x L` where a
    group is `blocks<L>` or `strided<L>`, and `N` otherwise. Ranks are numbered row by row.

    Fails where `shard` has no equal: collectives on memrefs, barriers, messages with a tag,
    `all_to_all_v` and `all_to_all_vc`, asynchronous communication, questions about nodes, groups that
    lie along no axes of the grid, and programs whose number of ranks is not known.
  }];
  let dependentDialects = ["::mlir::shard::ShardDialect", "::mlir::arith::ArithDialect"];
  let options = [ListOption<"shape", "shape", "int64_t", "Lengths of the axes of the grid">];
  let statistics = [Statistic<"convertedOps", "operations-converted", "Operations converted">];
}

def ShardToCollectivePass : Pass<"convert-shard-to-collective", "::mlir::ModuleOp"> {
  let summary = "Run programs that upstream's shard dialect partitioned";
  let description = [{
    Rewrites the communication of upstream's `shard` dialect, as `shard-partition` leaves it, into
    collectives. Processes of a grid are the ranks of the world, numbered row by row; each set of
    `grid_axes` that is used becomes one `collective.group`, which is the world itself where the axes
    span the whole grid. `average` becomes `mean`; a reduction into another element type converts
    first.

    Fails at `shard.shard` and `shard.sharding` that are still used (partition first), at
    `shard.update_halo`, at reductions without an equal, at grids with unknown lengths, at roots that
    are computed, and at grids of different sizes in one module.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"convertedOps", "operations-converted", "Operations converted">];
}

#endif // TUTTI_CONVERSION_PASSES
