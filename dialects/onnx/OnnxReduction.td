// Reductions over axes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_REDUCTION_TD
#define TUTTI_ONNX_REDUCTION_TD

include "dialects/onnx/OnnxDialect.td"

// A reduction over `axes`, which are of a kind as ShardingRule.h writes it.
class Onnx_ReduceOp<string name, string kind, bit isLinear = 0, Type number = Onnx_FloatTensor>
    : Onnx_DifferentiableOp<name> {
  let arguments = (ins number:$data, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       DefaultValuedAttr<I64Attr, "1">:$keepdims,
                       DefaultValuedAttr<I64Attr, "0">:$noop_with_empty_axes);
  let results = (outs number:$reduced);
  let hasFolder = 1;
  let linear = !if(isLinear, [["data"]], []<list<string>>);
  let sharding = "a.. k" # kind # " -> a..";
  let shardingByAttributes = 1;
  let shardingNote = "k is each of the reduced dimensions";
  let declarations = [{
    /// The axes, not negative, ascending; all of them if none are given.
    ::llvm::SmallVector<int64_t> getReducedAxes();
  }];
}

def Onnx_ReduceSumOp : Onnx_ReduceOp<"ReduceSum", "+", 1, Onnx_NumberTensor> {
  let summary = "sum over axes";
  let description = [{
    The sum over `axes`, each of which becomes 1, or is dropped if `keepdims` is 0. No axes mean all of them, unless
    `noop_with_empty_axes` is not 0, when they mean none.

    **Constraints**
    - (C1) each axis is in [-rank, rank), and none is named twice.

    Example:
    ```mlir
    %s = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x10xf32>) -> tensor<10xf32>
    ```
  }];
}

def Onnx_ReduceMeanOp : Onnx_ReduceOp<"ReduceMean", "/", 1> {
  let summary = "mean over axes";
  let description = [{
    The mean over `axes`, which mean what they mean for `onnx.ReduceSum`.

    **Constraints**
    - (C1) each axis is in [-rank, rank), and none is named twice.

    Example:
    ```mlir
    %m = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x10xf32>) -> tensor<f32>
    ```
  }];
}

// The gradient of a reduction: spreads `dY` over the shape of `X`.
class Onnx_ReduceGradOp<string name, string kind> : Onnx_DifferentiableOp<name> {
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       DefaultValuedAttr<I64Attr, "1">:$keepdims,
                       DefaultValuedAttr<I64Attr, "0">:$noop_with_empty_axes);
  let results = (outs Onnx_FloatTensor:$dX);
  let linear = [["dY"]];
  let shapes = ["X"];
  let sharding = "a.., a.. k" # kind # " -> a.. k";
  let shardingByAttributes = 1;
  let shardingNote = "k is each of the reduced dimensions";
  let declarations = [{
    /// The axes that were reduced, not negative, ascending; all of them if none are given.
    ::llvm::SmallVector<int64_t> getReducedAxes();
  }];
}

def Onnx_ReduceSumGradOp : Onnx_ReduceGradOp<"ReduceSumGrad", ""> {
  let summary = "gradient of onnx.ReduceSum";
  let description = [{
    Repeats `dY` along the reduced axes. Only the shape of X, the reduction's operand, matters. This operator is ours:
    ONNX has no way to say it without the size of a `?` dimension.

    **Constraints**
    - (C1) each axis is in [-rank, rank) of X, and none is named twice.
    - (C2) `dY` has the shape of X reduced over `axes`.

    Example:
    ```mlir
    %dx = onnx.ReduceSumGrad %dy, %x {axes = array<i64: 0>, keepdims = 0 : i64}
       : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_ReduceMeanGradOp : Onnx_ReduceGradOp<"ReduceMeanGrad", "/"> {
  let summary = "gradient of onnx.ReduceMean";
  let description = [{
    As `onnx.ReduceSumGrad`, divided by the number of elements that each mean is made of.

    **Constraints**
    - (C1) each axis is in [-rank, rank) of X, and none is named twice.
    - (C2) `dY` has the shape of X reduced over `axes`.

    Example:
    ```mlir
    %dx = onnx.ReduceMeanGrad %dy, %x {keepdims = 0 : i64} : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

// An extreme or product over `axes`.
class Onnx_ReduceChoice<string name, string kind, string what, string gradient> : Onnx_ReduceOp<name, kind> {
  let description = "\n    " # what # " over `axes`, which mean what they mean for `onnx.ReduceSum`. " # gradient # [{

    **Constraints**
    - (C1) each axis is in [-rank, rank), and none is named twice.

    Example:
    ```mlir
    %r = onnx.}] # name # [{ %x {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
    ```
  }];
}

def Onnx_ReduceMaxOp : Onnx_ReduceChoice<"ReduceMax", ">", "The maximum", "Equal maxima share the gradient."> {
  let summary = "maximum over axes";
}

def Onnx_ReduceMinOp : Onnx_ReduceChoice<"ReduceMin", "<", "The minimum", "Equal minima share the gradient."> {
  let summary = "minimum over axes";
}

def Onnx_ReduceProdOp : Onnx_ReduceChoice<"ReduceProd", "*", "The product", [{
    Where one factor is 0, only that one has a gradient; where several are, none has.}]> {
  let summary = "product over axes";
}

// Where the extreme along `axis` is.
class Onnx_ArgOp<string name, string what> : Onnx_Op<name> {
  let summary = "index of the " # what;
  let description = "\n    The index of the " # what # [{ along `axis`: of several the first one, or the last one if
    `select_last_index` is not 0. The dimension becomes 1, or is dropped if `keepdims` is 0. There is no gradient.

    **Constraints**
    - (C1) `axis` is in [-rank, rank).

    Example:
    ```mlir
    %i = onnx.}] # name # [{ %x {axis = 1 : i64, keepdims = 0 : i64} : (tensor<?x10xf32>) -> tensor<?xi64>
    ```
  }];
  let sharding = "p.. k^ q.. -> p.. q..";
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis; with keepdims it becomes 1";
  let arguments = (ins Onnx_FloatTensor:$data, DefaultValuedAttr<I64Attr, "0">:$axis,
                       DefaultValuedAttr<I64Attr, "1">:$keepdims, DefaultValuedAttr<I64Attr, "0">:$select_last_index);
  let results = (outs RankedTensorOf<[I64]>:$reduced);
}

def Onnx_ArgMaxOp : Onnx_ArgOp<"ArgMax", "maximum">;
def Onnx_ArgMinOp : Onnx_ArgOp<"ArgMin", "minimum">;

def Onnx_CumSumOp : Onnx_DifferentiableOp<"CumSum"> {
  let summary = "running sum along an axis";
  let sharding = "p.. k^ q.. -> p.. k q..";
  let linear = [["x"]];
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis";
  let description = [{
    Entry i along `axis` is the sum of entries 0 to i; without entry i itself if `exclusive` is not 0, and of those from i on
    if `reverse` is not 0. `axis` is an operand in the standard. The work grows with the power 3/2 of the dimension, or less.

    **Constraints**
    - (C1) `axis` is in [-rank, rank).

    Example:
    ```mlir
    %y = onnx.CumSum %x {axis = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_NumberTensor:$x, I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$exclusive,
                       DefaultValuedAttr<I64Attr, "0">:$reverse);
  let results = (outs Onnx_NumberTensor:$y);
}

#endif
