// Operators that take parts of tensors, and that put tensors together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_PARTS_TD
#define TUTTI_ONNX_PARTS_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_GatherOp : Onnx_Op<"Gather"> {
  let summary = "entries of a tensor by their indices: a lookup in a table";
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
  let description = [{
    The operands one behind the other along `axis`.

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

#endif
