// Operators that pick or replace elements whose places are data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_INDEXING_TD
#define TUTTI_ONNX_INDEXING_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_GatherElementsOp : Onnx_Op<"GatherElements"> {
  let summary = "elements of a tensor by their indices along one dimension";
  let sharding = "p.. v? q.., p.. j q.. -> p.. j q..";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "v and j are dimension axis; others are ^ where indices are shorter than data";
  let description = [{
    `output[i..., j, k...] = data[i..., indices[i..., j, k...], k...]`, where j counts along `axis`. A negative index counts from
    the end. An index that is out of range stops the program with an error that names the node. The gradient of `data` is an
    `onnx.ScatterElements` that adds.

    **Constraints**
    - (C1) `axis` is in [-rank, rank) of `data`.
    - (C2) `indices` has the rank of `data`, and no dimension but `axis` is larger than that of `data`.

    Example:
    ```mlir
    %y = onnx.GatherElements %x, %i {axis = 1 : i64} : (tensor<?x10xf32>, tensor<?x1xi64>) -> tensor<?x1xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, Onnx_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Onnx_Tensor:$output);
}

def Onnx_ScatterElementsOp : Onnx_Op<"ScatterElements"> {
  let summary = "a tensor with elements replaced by their indices along one dimension";
  let sharding = "p.. v^ q.., p.. j^ q.., p.. j q.. -> p.. v q..";
  let linear = [["data", "updates"]];
  let shardingByAttributes = 1;
  let linearByAttributes = 1;
  let shardingNote = "v and j are dimension axis; j+ where updates are added; others are ^ where indices are shorter than data; not linear in a product, max or min";
  let description = [{
    `data`, but `output[i..., indices[i..., j, k...], k...] = updates[i..., j, k...]`, where j counts along `axis`; `reduction` says that
    the updates are added (`add`), multiplied (`mul`), or that the largest (`max`) or smallest (`min`) of the element and its updates is kept.
    Indices are as for `onnx.GatherElements`. Of several updates of one element without reduction the last one counts; the gradient takes
    them to be updates of different elements. Where several are the largest or smallest, they share the gradient.

    **Constraints**
    - (C1) `axis` is in [-rank, rank) of `data`.
    - (C2) `indices` has the rank of `data`, and no dimension but `axis` is larger than that of `data`.
    - (C3) `updates` has the shape of `indices` and the element type of `data`.
    - (C4) `reduction` is none, add, mul, max or min; the last four are of f32, f64, i32 or i64.

    Example:
    ```mlir
    %y = onnx.ScatterElements %x, %i, %u {axis = 1 : i64}
       : (tensor<?x10xf32>, tensor<?x1xi64>, tensor<?x1xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, Onnx_IndexTensor:$indices, Onnx_Tensor:$updates,
                       DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedStrAttr<StrAttr, "none">:$reduction);
  let results = (outs Onnx_Tensor:$output);
}

def Onnx_TopKOp : Onnx_Op<"TopK"> {
  let summary = "the largest or smallest elements along a dimension, and their indices";
  let sharding = "p.. k^ q.. -> p.. j^ q.., p.. j q..";
  let shardingByAttributes = 1;
  let shardingNote = "k and j are dimension axis";
  let description = [{
    The `k` largest elements along `axis`, the largest first, or with `largest` = 0 the smallest, the smallest first, and where they
    stand. A `k` of -1 takes all. Of equal elements the one of the lower index comes first. What is no number is larger than any. `sorted` = 0
    lets the order be any; it is the same here. `k` is an operand in the standard. The gradient goes to the elements that were chosen.

    **Constraints**
    - (C1) `axis` is in [-rank, rank).
    - (C2) `k` is at least -1, and at most the size of the dimension.

    Example:
    ```mlir
    %v, %i = onnx.TopK %x {k = 2 : i64} : (tensor<?x10xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
    ```
  }];
  let arguments = (ins Onnx_NumberTensor:$X, I64Attr:$k, DefaultValuedAttr<I64Attr, "-1">:$axis,
                       DefaultValuedAttr<I64Attr, "1">:$largest, DefaultValuedAttr<I64Attr, "1">:$sorted);
  let results = (outs Onnx_NumberTensor:$Values, Onnx_IndexTensor:$Indices);
}

def Onnx_GatherNDOp : Onnx_Op<"GatherND"> {
  let summary = "parts of a tensor by tuples of indices";
  let sharding = "b.. t^.. q.., b.. i.. u^ -> b.. i.. q..";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "b are the batch_dims, t what tuples index";
  let description = [{
    The last dimension of `indices` holds tuples, which index the dimensions of `data` after the first `batch_dims`, in which
    `indices` and `data` are alike. The result is what they point at, in the shape of `indices` without its last dimension.
    Indices are as for `onnx.GatherElements`. The gradient of `data` is an `onnx.ScatterND` that adds.

    **Constraints**
    - (C1) `batch_dims` is not negative, and less than the ranks of `data` and `indices`, whose dimensions before it are compatible.
    - (C2) the size of a tuple is known, and not more than the dimensions of `data` after `batch_dims`.

    Example:
    ```mlir
    %y = onnx.GatherND %x, %i : (tensor<4x8x16xf32>, tensor<?x2xi64>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, Onnx_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Onnx_Tensor:$output);
}

def Onnx_ScatterNDOp : Onnx_Op<"ScatterND"> {
  let summary = "a tensor with parts replaced by tuples of indices";
  let sharding = "b.. t^.. q.., b.. i^.. u^, b.. i.. q.. -> b.. t.. q..";
  let linear = [["data", "updates"]];
  let shardingByAttributes = 1;
  let linearByAttributes = 1;
  let shardingNote = "as GatherND; i+ where updates are added; not linear in a product, max or min";
  let description = [{
    `data`, but what the tuples in `indices` point at (see `onnx.GatherND`; the standard has no `batch_dims` here) is that of
    `updates`, or `reduction` of both, as for `onnx.ScatterElements`. Of several updates of one part without reduction the last one counts;
    the gradient takes them to be updates of different parts.

    **Constraints**
    - (C1) those of `onnx.GatherND`.
    - (C2) `updates` has the shape that `onnx.GatherND` of these indices gives, and the element type of `data`.
    - (C3) `reduction` as (C4) of `onnx.ScatterElements`.

    Example:
    ```mlir
    %y = onnx.ScatterND %x, %i, %u : (tensor<4x8x16xf32>, tensor<?x2xi64>, tensor<?x16xf32>) -> tensor<4x8x16xf32>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$data, Onnx_IndexTensor:$indices, Onnx_Tensor:$updates,
                       DefaultValuedStrAttr<StrAttr, "none">:$reduction,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Onnx_Tensor:$output);
}

#endif
