// The kernel dialect: what compiled programs call instead of computing it in loops of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_KERNEL
#define TUTTI_DIALECTS_KERNEL

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tutti::kernel";
  let summary = "Calls of the runtime's compute kernels";
  let description = [{
    Matrix products, convolutions and pooling are faster in a library than in generated loops, and random numbers
    must be the same however many ranks there are. This dialect has one operation for each such kernel of the runtime.
    They stand between Linalg and LLVM: on tensors they are values like any other and bufferize in place; on memrefs
    they become calls of the C function `tutti_NAME` (see `include/tutti/abi.def`).

    All are in destination style: on tensors an operation has one result for each output, of the output's type; on
    memrefs it writes into the outputs and has no result. The previous contents of the outputs are read only where the
    text of the operation says so. Buffers are dense, in row-major order.

    **Constraints** of every operation
    - (C1) it has as many inputs and outputs as its text says.
    - (C2) buffers are all tensors or all memrefs.
    - (C3) on memrefs there are no results; on tensors result `i` has the type of output `i`.
  }];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::tutti::kernel";
  let description = "A call of a kernel of the runtime.";
  let methods = [
    InterfaceMethod<"The parameters in the order of include/tutti/abi.def, without the name of the node.",
      "::llvm::SmallVector<int64_t>", "getParameters">,
    InterfaceMethod<"Whether the kernel reads what the outputs held before.", "bool", "readsOutputs", (ins), [{}],
      [{ return false; }]>,
    InterfaceMethod<"Whether the kernel reads tables that servers hold.", "bool", "readsTables", (ins), [{}],
      [{ return false; }]>,
    InterfaceMethod<"Whether the kernel changes tables that servers hold.", "bool", "writesTables", (ins), [{}],
      [{ return false; }]>,
    InterfaceMethod<"Whether the parameters fit the buffers.", "::llvm::LogicalResult", "verifyParameters", (ins), [{}],
      [{ return ::llvm::success(); }]>
  ];
}

def Kernel_Buffer : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

// `fewest` to `most` inputs; outputs, -1 for as many as inputs; the attributes in `parameters`. What memory the operations read and write, and how they
// bufferize, is the same for all.
class Kernel_Op<string mnemonic, int fewest, int most, int outputs, dag parameters, list<string> methods = []>
    : Op<Kernel_Dialect, mnemonic,
         [AttrSizedOperandSegments, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<KernelOpInterface, methods>,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
          DeclareOpInterfaceMethods<BufferizableOpInterface,
                                    ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
                                     "bufferize"]>]> {
  let arguments = !con((ins Variadic<Kernel_Buffer>:$inputs, Variadic<Kernel_Buffer>:$outputs), parameters);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `into` `(` $outputs `)` attr-dict
    `:` custom<KernelTypes>(type($inputs), type($outputs), type($results))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return detail::verifyKernel(*this, }] # fewest # [{, }] # most # [{, }] # outputs # [{);
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      detail::getKernelEffects(*this, effects);
    }
    bool $cppClass::bufferizesToMemoryRead(::mlir::OpOperand &operand,
                                           const ::mlir::bufferization::AnalysisState &) {
      return !isDpsInit(&operand) || readsOutputs();
    }
    bool $cppClass::bufferizesToMemoryWrite(::mlir::OpOperand &operand,
                                            const ::mlir::bufferization::AnalysisState &) {
      return isDpsInit(&operand);
    }
    ::mlir::bufferization::AliasingValueList
    $cppClass::getAliasingValues(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      if (!isDpsInit(&operand))
        return {};
      return {{getTiedOpResult(&operand), ::mlir::bufferization::BufferRelation::Equivalent}};
    }
    ::llvm::LogicalResult $cppClass::bufferize(
        ::mlir::RewriterBase &rewriter, const ::mlir::bufferization::BufferizationOptions &options,
        ::mlir::bufferization::BufferizationState &state) {
      return detail::bufferizeKernel(*this, rewriter, options, state);
    }
  }];
}

def Kernel_MatmulOp : Kernel_Op<"matmul", 2, 2, 1,
    (ins I64Attr:$m, I64Attr:$n, I64Attr:$k, DefaultValuedAttr<I64Attr, "1">:$batch, UnitAttr:$transpose_a,
         UnitAttr:$transpose_b, DefaultValuedAttr<I64Attr, "0">:$stride_a, DefaultValuedAttr<I64Attr, "0">:$stride_b,
         DefaultValuedAttr<F32Attr, "1.0f">:$alpha, UnitAttr:$accumulate), ["readsOutputs"]> {
  let summary = "matrix products";
  let description = [{
    `C[b] = alpha * op(A[b]) * op(B[b])` for each b below `batch`, plus `C[b]` with `accumulate`. Inputs are A and B, the
    output is C, all f32, f64 or bf16 (whose sums are taken in f32). op(A) is `m` x `k`, op(B) is `k` x `n`; `transpose_a` and `transpose_b` say which are transposed
    in memory. A stride counts the elements from one matrix to the next; 0 uses one matrix for all b.

    ```mlir
    %c = kernel.matmul(%a, %b) into(%init) {k = 3 : i64, m = 2 : i64, n = 4 : i64}
         : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    ```
  }];
}

defvar windowParameters = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads_begin,
                               DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$dilations);

def Kernel_ConvolutionOp : Kernel_Op<"convolution", 2, 3, 1, !con((ins I64Attr:$group), windowParameters)> {
  let summary = "a convolution";
  let description = [{
    Inputs are the data `[N, C, spatial]`, the weights `[O, C / group, kernel]` and, if there is one, the bias `[O]`; the
    output is `[N, O, spatial]`. There are 1 to 3 spatial dimensions; a dilation of 1 is a dense window. All are f32,
    f64, or bf16, whose sums are taken in f32.

    ```mlir
    %y = kernel.convolution(%x, %w) into(%init) {dilations = array<i64: 1>, group = 1 : i64, kernel = array<i64: 3>,
           pads_begin = array<i64: 1>, pads_end = array<i64: 1>, strides = array<i64: 1>}
         : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x8xf32>
    ```
  }];
}

def Kernel_ConvolutionBackwardDataOp
    : Kernel_Op<"convolution_backward_data", 2, 2, 1, !con((ins I64Attr:$group), windowParameters)> {
  let summary = "the gradient of a convolution with respect to its data";
  let description = [{
    Inputs are the gradient of the output and the weights; the output is the gradient of the data. Attributes are those of
    the convolution.
  }];
}

def Kernel_ConvolutionBackwardWeightsOp
    : Kernel_Op<"convolution_backward_weights", 2, 2, 1, !con((ins I64Attr:$group), windowParameters)> {
  let summary = "the gradient of a convolution with respect to its weights";
  let description = [{
    Inputs are the gradient of the output and the data; the output is the gradient of the weights. Attributes are those of
    the convolution.
  }];
}

def Kernel_PoolKind : I64EnumAttr<"PoolKind", "what a window gives", [
    I64EnumAttrCase<"Max", 0, "max">,
    I64EnumAttrCase<"Average", 1, "average">,
    I64EnumAttrCase<"AverageWithPadding", 2, "average_with_padding">]> {
  let cppNamespace = "::tutti::kernel";
}

def Kernel_PoolOp : Kernel_Op<"pool", 1, 1, 1, !con((ins Kernel_PoolKind:$kind), windowParameters)> {
  let summary = "the maximum or the mean of each window";
  let description = [{
    The input is `[N, C, spatial]`, the output `[N, C, spatial]`, both f32, f64 or bf16.
  }];
}

def Kernel_PoolBackwardOp
    : Kernel_Op<"pool_backward", 2, 2, 1, !con((ins Kernel_PoolKind:$kind), windowParameters)> {
  let summary = "the gradient of a pool";
  let description = [{
    Inputs are the gradient of the output and the data; the output is the gradient of the data. Of several equal maxima the
    first one gets the gradient.
  }];
}

def Kernel_DropoutOp : Kernel_Op<"dropout", 2, 3, 2, (ins I64Attr:$node, DefaultValuedAttr<I64Attr, "1">:$parts,
                                                          DefaultValuedAttr<I64Attr, "1">:$blocks)> {
  let summary = "elements dropped at random";
  let description = [{
    Inputs are the data (f32), the ratio (one f32) and, if `parts` is above 1, the number of the micro-batch (one i64);
    outputs are the kept elements, scaled by 1 / (1 - ratio), and which were kept (i1). What is kept depends on the seed
    of the run, the step, `node` and the index of an element in the global batch, and on nothing else. The data are `blocks`
    of all samples, each with equally many elements of a sample; with -1 blocks they hold none, and are the same everywhere.
  }];
}

def Kernel_Distribution : I64EnumAttr<"Distribution", "of random numbers", [
    I64EnumAttrCase<"Normal", 0, "normal">,
    I64EnumAttrCase<"Uniform", 1, "uniform">]> {
  let cppNamespace = "::tutti::kernel";
}

def Kernel_RandomOp : Kernel_Op<"random", 0, 1, 1,
    (ins Kernel_Distribution:$distribution, F64Attr:$a, F64Attr:$b, I64Attr:$node, OptionalAttr<I64Attr>:$seed,
         DefaultValuedAttr<I64Attr, "1">:$parts, DefaultValuedAttr<I64Attr, "-1">:$blocks)> {
  let summary = "random numbers, equal on every rank, or for its samples";
  let description = [{
    Fills the output, f32 or f64, with numbers of a normal distribution of mean `a` and standard deviation `b`, or of a
    uniform one over [a, b). With a `seed` they depend on it and on `node` only, else on the seed of the run, the step and
    `node`. The output is `blocks` of all samples, and the input the number of the micro-batch if `parts` is above 1, as of
    `kernel.dropout`: what is drawn for a sample follows from its index in the global batch.
  }];
}

def Kernel_GatherRowsOp : Kernel_Op<"gather_rows", 2, 2, 1,
    (ins DefaultValuedAttr<I64Attr, "0">:$axis, UnitAttr:$unused)> {
  let summary = "the rows of a table at some indices";
  let description = [{
    Inputs are the table and the indices (i32 or i64); rows are taken along `axis` of the table. An index counts from the
    end if it is negative; one that is out of range is an error. With `unused`, an index that is the size of the dimension
    gives zeros.
  }];
}

def Kernel_ScatterUpdateRowsOp : Kernel_Op<"scatter_update_rows", 2, 2, 1, (ins), ["readsOutputs"]> {
  let summary = "replaces rows of a table";
  let description = [{
    Inputs are the indices and the rows; the output is the table. Other rows of it stay.
  }];
}

def Kernel_ScatterRowsOp : Kernel_Op<"scatter_rows", 2, 2, 1, (ins)> {
  let summary = "the sum of rows by their indices";
  let description = [{
    Inputs are the indices and the rows; the output is the table, which becomes zero before the rows are added in order.
  }];
}

def Kernel_RowReduction : I64EnumAttr<"RowReduction", "of a row and what is put there", [
    I64EnumAttrCase<"Sum", 0, "sum">,
    I64EnumAttrCase<"Product", 1, "product">,
    I64EnumAttrCase<"Max", 2, "max">,
    I64EnumAttrCase<"Min", 3, "min">]> {
  let cppNamespace = "::tutti::kernel";
}

def Kernel_CombineRowsOp : Kernel_Op<"combine_rows", 2, 2, 1, (ins Kernel_RowReduction:$reduction), ["readsOutputs"]> {
  let summary = "combines rows of a table with others";
  let description = [{
    Inputs are the indices and the rows; the output is the table, whose rows become their `reduction` with the rows at their index, one
    after the other. All are f32, f64, i32 or i64. What is no number stays none.
  }];
}

def Kernel_TopKOp : Kernel_Op<"top_k", 1, 1, 2, (ins I64Attr:$axis, UnitAttr:$smallest)> {
  let summary = "the largest or smallest elements along a dimension";
  let description = [{
    The input is data (f32, f64, i32 or i64), the outputs are the elements that are chosen, in their order, and their indices (i64). Of
    equal ones the first comes first; what is no number is larger than any.
  }];
}

def Kernel_MergeRowsOp : Kernel_Op<"merge_rows", 2, 3, 2, (ins I64Attr:$table_rows)> {
  let summary = "a list of rows in which each index stands once";
  let description = [{
    Inputs are the indices, the rows and, if sums are to be divided, the divisor; outputs are the merged indices, ascending,
    and the merged rows. Entries that are left over have the index `table_rows` and are zero.
  }];
}

// One input for each list of rows: its indices.
defvar Kernel_rowLists = (ins DenseI64ArrayAttr:$tables, DenseI64ArrayAttr:$table_rows, DenseI64ArrayAttr:$row_bytes, StrArrayAttr:$nodes);

def Kernel_PullRowsOp : Kernel_Op<"pull_rows", 1, 4096, -1, Kernel_rowLists, ["readsTables", "verifyParameters"]> {
  let summary = "rows of tables that servers hold";
  let description = [{
    Each input is the indices of a list; the output of the same place gets their rows, of `row_bytes` bytes each, of table number
    `tables`, which has `table_rows` rows. `nodes` are the names of those who ask, for errors. All lists travel together.
  }];
}

def Kernel_PrefetchRowsOp : Kernel_Op<"prefetch_rows", 1, 4096, 0, Kernel_rowLists, ["writesTables", "verifyParameters"]> {
  let summary = "tells which rows of tables the next step will pull";
  let description = [{
    As `kernel.pull_rows` of the next step, but for the rows, which come with that one.
  }];
}

def Kernel_PushRowsOp : Kernel_Op<"push_rows", 2, 64, 0, (ins I64Attr:$table, I64Attr:$table_rows), ["writesTables"]> {
  let summary = "gives gradients of rows to the servers";
  let description = [{
    Inputs are the indices, the gradients of their rows, and the scalars that the update takes. An index `table_rows` marks an
    entry that is not used.
  }];
}

def Kernel_CopyBlocksOp : Kernel_Op<"copy_blocks", 1, 1, 1,
    (ins I64Attr:$bytes, DefaultValuedAttr<I64Attr, "1">:$blocks, DefaultValuedAttr<I64Attr, "0">:$input_stride,
         DefaultValuedAttr<I64Attr, "0">:$input_offset, DefaultValuedAttr<I64Attr, "0">:$output_stride,
         DefaultValuedAttr<I64Attr, "0">:$output_offset, UnitAttr:$keeps), ["readsOutputs"]> {
  let summary = "copies blocks that lie at equal distances";
  let description = [{
    Copies `blocks` blocks of `bytes` bytes each. Offsets and strides, in bytes, say where the first block begins and how far
    apart blocks are. With `keeps`, what is not copied stays as the output held it.
  }];
}

def Kernel_CheckLabelsOp : Kernel_Op<"check_labels", 1, 1, 1, (ins I64Attr:$classes, OptionalAttr<I64Attr>:$ignored)> {
  let summary = "labels that are known to be classes";
  let description = [{
    The input is labels (i32 or i64) `[N, ...]`, which the output gets as they are. One that is neither a class, counted from
    0 to `classes` - 1, nor `ignored` is an error that names node, sample and label.

    ```mlir
    %checked = kernel.check_labels(%labels) into(%init) {classes = 10 : i64} : (tensor<8xi64>) -> tensor<8xi64>
    ```
  }];
}

#endif // TUTTI_DIALECTS_KERNEL
