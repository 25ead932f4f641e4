// Passes from Linalg and calls to LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_CODEGEN_PASSES
#define TUTTI_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"lower-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise loops with the loop that uses them";
  let description = [{
    Moves the body of an elementwise `linalg.generic` into its only user when both run over the same elements.
    A producer that the user would evaluate again for each element of a broadcast is left alone.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def OffloadStatesPass : Pass<"lower-offload-states", "::mlir::ModuleOp"> {
  let summary = "Say where the uses of optimizer states are over, so that they can lie in a file";
  let description = [{
    Buffers of `@step` with the argument attribute `kernel.state` (see `lower-bind-variables`) that are not small, and for which
    there is no room in `kept-bytes`, are divided into *uses*: stretches of the step, one after another, in each of which some of
    them are touched, from the first operation that touches one to the last, and no other is. Neighbouring uses are one as long as
    their states are no more than those of the largest. The largest states have no use if less is in memory while they stay
    there. After the last operation of each `@step` calls `tutti_release_states` with the
    number of the use, and `@initialize` where it has filled its states: who runs the program may write them to a
    file then, and read those of the use after the next one (include/tutti/states.h). No value depends on it.

    `kernel.state_uses` of `@step` has the use of each variable, or -1; `kernel.state_window` the bytes that states of
    three neighbouring uses take at most, where the first one follows the last one: those that are written, used and
    read at one time.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"smallest", "smallest", "int64_t", /*default=*/"16 << 10",
           "States of fewer bytes stay in memory">,
    Option<"keptBytes", "kept-bytes", "int64_t", /*default=*/"0",
           "So many bytes of other states stay in memory: the largest that fit, one after another">
  ];
  let statistics = [
    Statistic<"states", "states", "buffers that may lie in a file">,
    Statistic<"uses", "uses", "uses that they are divided into">
  ];
}

def OutlineLoopsPass : Pass<"lower-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Make one function of loop nests that are alike";
  let description = [{
    Each Linalg operation on buffers becomes a call of a function that holds it. Operations whose loops, seen over flat
    arrays as `lower-loops` writes them, and bodies are equal share the function, wherever their buffers lie and
    whatever shape they have: the time of compiling grows with the number of different loop nests, not with the depth
    of the model. The functions are never inlined.

    An array that an operation reads and writes is passed once. An array is `llvm.noalias` if no other argument can see
    what is written through it: it is at another place of the arena, or belongs to another argument of the program's
    function; functions are shared among calls that agree in that. So the optimiser knows of memory what it knew
    before.

    What stays where it is: operations on one element, which are no longer than a call; buffers whose place is computed
    at run time; bodies that take values from outside, or that may report an error of their node.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"calls", "calls", "loop nests that became calls">,
    Statistic<"functions", "functions", "functions that they call">
  ];
}

def LowerLoopsPass : Pass<"lower-loops", "::mlir::func::FuncOp"> {
  let summary = "Turn Linalg on buffers into loops";
  let description = [{
    Each `linalg.generic` becomes one nest of `scf.for`. Buffers are addressed as flat arrays, so that neighbouring
    dimensions that all operands walk alike become one loop, and dimensions of size 1 none. Innermost reductions
    are kept in registers. Of floats they have 16 partial results, if there are as many neighbouring elements: lane
    i combines elements i, 16 + i, 32 + i, ...; then the upper half of the lanes is combined with the lower until one
    is left, and elements that do not fill the lanes follow in order. So the order of rounding is written here and
    depends on the shape alone, not on what an optimiser finds out about memory.

    A `memref.copy` of a buffer with gaps, as a slice of an inner dimension has them, becomes a nest as well.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerToLLVMPass : Pass<"lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn the program into LLVM, with its entry points and runtime calls";
  let description = [{
    Kernel calls and collectives become calls of the functions in `include/tutti/abi.def`; collectives are numbered
    in program order, `@initialize` first, then `@step`: the number is their entry in the plan. Each function of the
    program gets an entry point as `include/tutti/program.h` declares it.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

def TakeValuesOutPass : Pass<"take-values-out", "::mlir::ModuleOp"> {
  let summary = "Leave large constants to the host of the program";
  let description = [{
    In the LLVM dialect. Each constant that is a resource of more than `larger-than` bytes goes; its address is read
    from the table `tutti_values`, which the host fills before it calls the program, see `include/tutti/program.h`.
    `kernel.values` on the module names the resources in the order of the table, with their bytes and whether
    `@initialize` alone uses them, so that the host can let go of them after it. So code and weights are apart: the
    weights need not be compiled, linked, kept or loaded, and all ranks of a machine share them where they lie.
  }];
  let options = [
    Option<"largerThan", "larger-than", "uint64_t", /*default=*/"64 << 10", "Take constants of more bytes than this">
  ];
}

#endif // TUTTI_CODEGEN_PASSES
