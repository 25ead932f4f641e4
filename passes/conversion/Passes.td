// Passes from one dialect to another: onnx, train and collective to Linalg and kernel calls, collective to and from
// shard, and to mpi.
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

def CollectiveToMpiPass : Pass<"convert-collective-to-mpi", "::mlir::ModuleOp"> {
  let summary = "Let upstream's tools run a program on any MPI";
  let description = [{
    Rewrites a program of collectives on memrefs, whose number of ranks is known, into upstream's `mpi` dialect: what is left
    are operations of upstream alone, which a stock `mlir-opt` lowers and a stock `mlir-runner` executes under `mpirun`.
    Each kind of collective, element type and group becomes one private function.

    Upstream's lowering knows few operations of MPI, and only `send`, `recv`, `init`, `finalize`, `comm_world` and `comm_rank` work with
    every MPI. So the functions are made of these. Reductions are taken in rank order with the rounding of Tutti's runtime, so all ranks, and
    all runs, get the same bits. Groups are tables of ranks. A bucket is one call for each input; what runs beside computation
    (`collective.async`) runs where it is started.

    MPI's dialect cannot ask which ranks share a node. With `ranks-per-node=L` neighbouring ranks make up a node, as `collective-hierarchy`
    has it, and groups by node become tables, too. A launcher that places ranks otherwise makes the program slower, not wrong.

    The function `entry`, where the module has it, starts and ends MPI; otherwise the caller does. Roles of values (attributes of the
    `train` dialect) are erased.

    Fails where there is no equal: on tensors, along another axis than 0, where the number of ranks or the sets of a group are not known, at
    messages in `collective.async`, at tags that MPI need not have, and at other operations of Tutti that are left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::DLTIDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::mpi::MPIDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"entry", "entry", "std::string", "\"main\"", "The function that starts and ends MPI">,
    Option<"implementation", "implementation", "std::string", "",
           "`MPICH` or `OpenMPI`: written where upstream's lowering looks; it takes MPICH where nothing is">,
    Option<"ranksPerNode", "ranks-per-node", "int64_t", "0",
           "How many neighbouring ranks groups by node and `local_rank` call a node; 0: these are errors">
  ];
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

def LowerFuturesPass : Pass<"lower-futures", "::mlir::func::FuncOp"> {
  let summary = "Number futures, and show what is in use until they are awaited";
  let description = [{
    Takes the collectives and messages out of each `collective.async`, marks each with the number of a future
    (`collective.future`), and puts `collective.complete` in the place of `collective.await`: it names everything that
    they read and write, so that bufferization and the memory plan see it in use until then.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect"];
  let statistics = [Statistic<"futures", "futures", "collectives and messages that run beside computation">];
}

def LowerCollectiveAxesPass : Pass<"lower-collective-axes", "::mlir::func::FuncOp"> {
  let summary = "Let collectives join and cut along axis 0 only";
  let description = [{
    The parts of ranks are contiguous in memory only along axis 0. Collectives along other axes become
    collectives along axis 0 with a change of shape or a transposition before or after them. Shapes must be static;
    others are left alone.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"moved", "moved", "collectives that were along another axis">];
}

def ReusePartsPass : Pass<"train-reuse-parts", "::mlir::func::FuncOp"> {
  let summary = "Let micro-batches write where they have read";
  let description = [{
    A loop over micro-batches may take parts of what was computed in front of it and is not needed after it, such as rows that
    servers gave, and put together something of the same size, such as their gradients. Then the second begins as the first, part
    after part of which is replaced, so that one buffer is enough for both. Runs when shapes are static.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"reusedValues", "values-reused", "Values whose memory is used again">];
}

def UpdateRowsPass : Pass<"train-update-rows", "::mlir::func::FuncOp"> {
  let summary = "Update only the rows of a table that a step touches";
  let description = [{
    Where an optimizer's gradient is a `train.scatter_rows`, perhaps scaled, and rows without a gradient stay what
    they are (`train.sgd` and `train.adagrad` without weight decay), the same optimizer runs on the rows of the list,
    merged so that each stands once, and on those rows of its variable and states. The bits are those of updating the
    whole table, whose gradient is never made. Where the whole table is updated, a remark says why. Runs when shapes
    are static.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect"];
  let statistics = [
    Statistic<"rowUpdates", "row-updates", "optimizers that update rows only">,
    Statistic<"wholeTables", "whole-tables", "optimizers that update a whole table by a list of rows">
  ];
}

def LowerRecurrencesPass : Pass<"lower-recurrences", "::mlir::func::FuncOp"> {
  let summary = "Turn recurrent layers into loops over the steps of a sequence";
  let description = [{
    `onnx.RNN`, `GRU` and `LSTM` become `scf.for` loops, one for each direction, whose bodies are operators of the onnx dialect;
    their gradients become loops that go back over the steps. Such a loop computes a step again from the state before it, and
    differentiates it by the gradients of its operators. The states are kept by the loop of the layer, if the function has both.

    Products with W, and those of gradients, are taken of all steps at once. Shapes must be static. 16 bits are computed in f32.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::tutti::onnx::OnnxDialect"];
}

def LowerOnnxPass : Pass<"lower-onnx", "::mlir::func::FuncOp"> {
  let summary = "Turn ONNX operators into Linalg and kernel calls";
  let description = [{
    Matrix products, convolutions, pooling, dropout and random numbers become operations of `kernel`; everything else becomes
    `linalg.generic` loops, with the reduced dimensions in memory order so that the loops vectorise. Results that
    nothing uses are not computed. An operator that cannot be compiled is an error that names operator and node.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::tutti::kernel::KernelDialect"];
}

def LowerTrainPass : Pass<"lower-train", "::mlir::func::FuncOp"> {
  let summary = "Turn optimizers and the other train ops into Linalg";
  let description = [{
    An optimizer becomes one `linalg.generic` whose destinations are the variable and its states themselves, so that
    bufferization updates them in place. What depends only on the step number is computed once, before it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def OutlinePrefetchPass : Pass<"outline-prefetch", "::mlir::ModuleOp"> {
  let summary = "Write what a step will pull as a function of its batch";
  let description = [{
    The function `@prefetch` takes the batch of `@step`, computes the indices of all pulls of tables that are marked `prefetch`, and
    asks for their rows ahead. A program without such a table gets none. Fails if an index depends on more than the batch.
  }];
  let dependentDialects = ["::tutti::ps::PsDialect"];
  let statistics = [Statistic<"prefetchedPulls", "pulls-prefetched", "Pulls that are asked for ahead">];
}

def LowerPsPass : Pass<"lower-ps", "::mlir::ModuleOp"> {
  let summary = "Turn what a worker does to tables into calls of the runtime";
  let description = [{
    Pulls and pushes become kernel calls, which know a table by its number: tables are counted in the order of their
    declarations, as the manifest lists them. Pulls between which nothing pushes become one call, in the place of the first, if
    their indices can be computed there; so their rows travel together. The declarations, and the functions that update tables, go: they
    are the servers' part of the program, which is compiled from the program before.
  }];
  let dependentDialects = ["::tutti::kernel::KernelDialect", "::mlir::tensor::TensorDialect"];
}

#endif // TUTTI_CONVERSION_PASSES
