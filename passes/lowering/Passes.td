// The passes of lowering: from a specialised training program to LLVM. In the order in which `compile` runs them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LOWERING_PASSES
#define TUTTI_PASSES_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def SpecializeBatchPass : Pass<"train-specialize-batch", "::mlir::ModuleOp"> {
  let summary = "make the batch dimensions static";
  let description = [{
    Derives the number of samples that a rank takes in a step from the `train.dataset` (its global batch, shard,
    policy and ranks), makes it dimension 0 of every input that reads this dataset, infers all other types again,
    and replaces `train.batch_weight` by its value. Afterwards every shape is static; a dimension that is not is an
    error that names the op and the dimension.
  }];
  let options = [
    Option<"rankClass", "rank-class", "std::string", "\"ceil\"",
           "with policy `weighted` the ranks take two sizes of batch: `ceil` is the larger, `floor` the smaller">,
    Option<"localBatch", "local-batch", "int64_t", "0",
           "take this batch instead of the derived one (0: derive it)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UpdateRowsPass : Pass<"train-update-rows", "::mlir::func::FuncOp"> {
  let summary = "update only the rows of a table that a step touches";
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

def LowerOnnxPass : Pass<"lower-onnx", "::mlir::func::FuncOp"> {
  let summary = "turn ONNX operators into Linalg and kernel calls";
  let description = [{
    Matrix products, convolutions, pooling, dropout and random numbers become `kernel.call`; everything else becomes
    `linalg.generic` loops, with the reduced dimensions in memory order so that the loops vectorise. Results that
    nothing uses are not computed. An operator that cannot be compiled is an error that names operator and node.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::tutti::kernel::KernelDialect"];
}

def LowerTrainPass : Pass<"lower-train", "::mlir::func::FuncOp"> {
  let summary = "turn optimizers and the other train ops into Linalg";
  let description = [{
    An optimizer becomes one `linalg.generic` whose destinations are the variable and its states themselves, so that
    bufferization updates them in place. What depends only on the step number is computed once, before it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwisePass : Pass<"lower-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "fuse elementwise loops with the loop that uses them";
  let description = [{
    Moves the body of an elementwise `linalg.generic` into its only user when both run over the same elements.
    A producer that the user would evaluate again for each element of a broadcast is left alone.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def LowerFuturesPass : Pass<"lower-futures", "::mlir::func::FuncOp"> {
  let summary = "number futures, and show what is in use until they are awaited";
  let description = [{
    Takes the collectives and messages out of each `collective.async`, marks each with the number of a future
    (`collective.future`), and puts `collective.complete` in the place of `collective.await`: it names everything that
    they read and write, so that bufferization and the memory plan see it in use until then.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect"];
  let statistics = [Statistic<"futures", "futures", "collectives and messages that run beside computation">];
}

def LowerCollectiveAxesPass : Pass<"lower-collective-axes", "::mlir::func::FuncOp"> {
  let summary = "let collectives join and cut along axis 0 only";
  let description = [{
    Parts of ranks lie one behind the other in memory only along axis 0. Collectives along other axes become
    collectives along axis 0 with a change of shape or a transposition before or behind them. Shapes must be static;
    others are left alone.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"moved", "moved", "collectives that were along another axis">];
}

def BindVariablesPass : Pass<"lower-bind-variables", "::mlir::ModuleOp"> {
  let summary = "turn the functions of the program into functions on buffers";
  let description = [{
    Gives `@initialize`, `@step` and `@evaluate` the signature (variables, inputs, hyperparameters, results, arena,
    context), all buffers, no result. A variable's new value is written where the old one stands: the op that computes it gets the
    variable as destination and moves behind the last reader of the old value, so that no copy is needed. The numbers
    of buffers are recorded as `kernel.variables`, `kernel.inputs` and `kernel.results` of the function.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def PlanMemoryPass : Pass<"lower-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "place all temporary buffers of a function in one arena";
  let description = [{
    Replaces each `memref.alloc` by a view of the function's arena. Buffers whose lives overlap get disjoint,
    64-byte aligned places; larger buffers are placed first, each in the smallest gap that holds it. The size of the
    arena is recorded as `kernel.arena_bytes` of the function.

    A buffer that is allocated in a loop has one place for all iterations and lives within one of them; one that is
    allocated outside lives through every loop that uses it. It is an error when an iteration hands its own buffer to
    the next one, which would need a second place.

    The buffers of one bucket that is communicated in place lie one behind the other, so that the network finds them
    as one and nothing is packed; each takes memory only while it lives. `kernel.adjacent` of the bucket tells which.

    What `collective.flatten` takes stands at the start of the row from the beginning, where it is not needed
    afterwards; else it is copied there.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"buffers", "buffers", "buffers placed in an arena">,
    Statistic<"buckets", "buckets", "buckets whose buffers lie one behind the other">,
    Statistic<"copiedRows", "copied-rows", "values that had to be copied to be flattened">,
    Statistic<"requested", "requested-bytes", "sum of the sizes of these buffers">,
    Statistic<"reserved", "reserved-bytes", "sum of the sizes of the arenas">
  ];
}

def LowerLoopsPass : Pass<"lower-loops", "::mlir::func::FuncOp"> {
  let summary = "turn Linalg on buffers into loops";
  let description = [{
    Each `linalg.generic` becomes one nest of `scf.for`. Buffers are addressed as flat arrays, so that neighbouring
    dimensions that all operands walk alike become one loop, and dimensions of size 1 none. Innermost reductions
    are kept in registers. Of floats they have 16 partial results, if there are as many neighbouring elements: lane
    i combines elements i, 16 + i, 32 + i, ...; then the upper half of the lanes is combined with the lower until one
    is left, and elements that do not fill the lanes follow in order. So the order of rounding is written here and
    depends on the shape alone, not on what an optimiser finds out about memory.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerToLLVMPass : Pass<"lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turn the program into LLVM, with its entry points and runtime calls";
  let description = [{
    Kernel calls and collectives become calls of the functions in `include/tutti/abi.def`; collectives are numbered
    in program order, `@initialize` first, then `@step`: the number is their entry in the plan. Each function of the
    program gets an entry point as `include/tutti/program.h` declares it.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // TUTTI_PASSES_LOWERING_PASSES
