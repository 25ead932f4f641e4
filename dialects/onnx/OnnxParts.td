// Operators that take parts of tensors, and that put tensors together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_PARTS_TD
#define TUTTI_ONNX_PARTS_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_GatherOp : Onnx_Op<"Gather"> {
  let summary = "entries of a tensor by their indices: a lookup in a table";
  let sharding = "p.. v? q.., i.. -> p.. i.. q..";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "v is dimension axis";
  let description = [{
    With r dimensions of `data` before `axis` and q of `indices`,
    `output[i1, ..., ir, j1, ..., jq, k...] = data[i1, ..., ir, indices[j1, ..., jq], k...]`. A negative index counts
    from the end. An index that is out of range stops the program with an error that names the node.

    Its gradient with respect to `data` is a `train.scatter_rows`, which holds only what was looked up.

    **Constraints**
    - (C1) `axis` is in [-rank, rank) of `data`.

    Example:
    ```mlir
    %y = onnx.Gather %table, %i : (tensor<1000x16xf32>, tensor<?x2xi64>) -> tensor<?x2x16xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, Onnx_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Onnx_Tensor:$output);
  let declarations = [{
    /// `axis`, counted from 0.
    int64_t getGatheredAxis();
  }];
}

def Onnx_ConcatOp : Onnx_DifferentiableOp<"Concat"> {
  let summary = "joins tensors along a dimension";
  let sharding = "p.. k^ q.. -> p.. k q..";
  let linear = [["inputs"]];
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis";
  let description = [{
    The operands one after the other along `axis`.

    **Constraints**
    - (C1) `axis` is in [-rank, rank).
    - (C2) the operands have one element type, one rank, and compatible dimensions other than `axis`.

    Example:
    ```mlir
    %y = onnx.Concat %a, %b {axis = 1 : i64} : (tensor<?x16xf32>, tensor<?x8xf32>) -> tensor<?x24xf32>
    ```
  }];
  let arguments = (ins Variadic<Onnx_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Onnx_Tensor:$concat_result);
  let hasFolder = 1;
}

def Onnx_SplitOp : Onnx_Op<"Split"> {
  let summary = "cuts a tensor along a dimension";
  let sharding = "p.. k^ q.. -> p.. k q..";
  let linear = [["input"]];
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis";
  let description = [{
    Result i is the next `split[i]` entries of `input` along `axis`. The operand of the standard is an attribute here.

    **Constraints**
    - (C1) `axis` is in [-rank, rank).
    - (C2) the sizes in `split` are not negative, and add up to the dimension `axis` where that is known.

    Example:
    ```mlir
    %a, %b = onnx.Split %x {axis = 1 : i64, split = array<i64: 16, 8>}
        : (tensor<?x24xf32>) -> (tensor<?x16xf32>, tensor<?x8xf32>)
    ```
  }];
  let arguments = (ins Onnx_Tensor:$input, DenseI64ArrayAttr:$split, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Variadic<Onnx_Tensor>:$outputs);
}

def Onnx_SliceOp : Onnx_DifferentiableOp<"Slice"> {
  let summary = "a part of a tensor, with steps";
  let sharding = "a.. k~ -> a.. k";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "k is each dimension that is not taken whole and in order; ^ where one entry is taken";
  let description = [{
    Along dimension `axes[i]` the entries from `starts[i]`, every `steps[i]`-th, before `ends[i]`; without `axes` the first
    dimensions are meant, without `steps` every entry is. Negative starts and ends count from the end; those that are out of
    range are brought into it. With a negative step entries come in descending order, and an end far below 0 means
    that the first one is reached. The operands of the standard are attributes here.

    **Constraints**
    - (C1) there are as many `starts` as `ends`, `axes` and `steps`.
    - (C2) each axis is in [-rank, rank), and none is named twice.
    - (C3) no step is 0.

    Example:
    ```mlir
    %y = onnx.Slice %x {axes = array<i64: 1>, ends = array<i64: 9223372036854775807>, starts = array<i64: -4>}
       : (tensor<?x16xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$ends,
                       OptionalAttr<DenseI64ArrayAttr>:$axes, OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Onnx_Tensor:$output);
  let declarations = [{
    /// What is taken along each dimension of `data`, whose sizes are known.
    ::llvm::SmallVector<SliceRange> getRanges();
  }];
  let hasFolder = 1;
}

def Onnx_SliceGradOp : Onnx_DifferentiableOp<"SliceGrad"> {
  let summary = "gradient of onnx.Slice";
  let sharding = "a.. k~, a.. k -> a.. k";
  let linear = [["dY"]];
  let shapes = ["X"];
  let shardingByAttributes = 1;
  let shardingNote = "as Slice";
  let description = [{
    `dY` where the slice took its entries from, else 0. Only the shape of X, the sliced tensor, matters. ONNX Runtime's
    operator of this name has that shape as an operand, and the attributes too.

    **Constraints**
    - (C1) the attributes are those of an `onnx.Slice` of X.
    - (C2) `dY` has the shape of that slice, and the element type of X.

    Example:
    ```mlir
    %dx = onnx.SliceGrad %dy, %x {axes = array<i64: 1>, ends = array<i64: 4>, starts = array<i64: 0>}
        : (tensor<?x4xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$ends,
                       OptionalAttr<DenseI64ArrayAttr>:$axes, OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Onnx_FloatTensor:$dX);
  let declarations = [{
    /// What was taken along each dimension of X, whose sizes are known.
    ::llvm::SmallVector<SliceRange> getRanges();
  }];
}

def Onnx_ExpandOp : Onnx_DifferentiableOp<"Expand"> {
  let summary = "repeats a tensor along dimensions of size 1";
  let sharding = "a.., k b.. -> k.. a..";
  let linear = [["input"]];
  let shapes = ["like"];
  let shardingByAttributes = 1;
  let shardingNote = "new dimensions are free; one of an entry -1 is that of like";
  let description = [{
    `input`, broadcast with a tensor of `shape`. The operand of the standard is an attribute here; an entry -1 is the size that
    the input has there, or, where it has none or 1 and there is `like`, the size of its dimension `axis`; nothing else of
    `like` matters.

    **Constraints**
    - (C1) no entry of `shape` is below -1.
    - (C2) the shape of `input` and `shape` broadcast to one shape.
    - (C3) an entry -1 stands for a dimension of `input`, or there is `like`.
    - (C4) `axis` is a dimension of `like`.

    Example:
    ```mlir
    %y = onnx.Expand %x like %b {shape = array<i64: -1, 4, 8>}
       : (tensor<1x1x8xf32>, tensor<?x3xf32>) -> tensor<?x4x8xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$input, Optional<Onnx_Tensor>:$like, DenseI64ArrayAttr:$shape,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Onnx_Tensor:$output);
  let assemblyFormat = "$input (`like` $like^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Onnx_PadOp : Onnx_DifferentiableOp<"Pad"> {
  let summary = "a tensor with a margin";
  let sharding = "a.. k~ -> a.. k";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let linearByAttributes = 1;
  let shardingNote = "k is each dimension with a margin; not linear where the margin is not 0";
  let description = [{
    `data` with `pads[i]` entries before and `pads[rank + i]` after those of dimension i, all of them `value`; a negative number
    takes entries away. The operands of the standard are attributes here, and its other modes are written as `onnx.Slice` and
    `onnx.Concat`.

    **Constraints**
    - (C1) there are two numbers for each dimension.
    - (C2) no dimension becomes negative.

    Example:
    ```mlir
    %y = onnx.Pad %x {pads = array<i64: 0, 1, 0, 1>, value = 0.0 : f64} : (tensor<?x8xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_NumberTensor:$data, DenseI64ArrayAttr:$pads, DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs Onnx_NumberTensor:$output);
  let hasFolder = 1;
}

def Onnx_TriluOp : Onnx_DifferentiableOp<"Trilu"> {
  let summary = "the upper or lower triangle of matrices";
  let sharding = "b.. m~ n~ -> b.. m n";
  let linear = [["input"]];
  let description = [{
    The last two dimensions are matrices. With `upper` not 0, what is below diagonal `k` becomes 0, else what is above it; `k` is
    0 for the main diagonal and grows to the right. `k` is an operand in the standard.

    **Constraints**
    - (C1) `input` has rank 2 or more.

    Example:
    ```mlir
    %y = onnx.Trilu %x {k = 1 : i64} : (tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$k, DefaultValuedAttr<I64Attr, "1">:$upper);
  let results = (outs Onnx_Tensor:$output);
}

#endif
