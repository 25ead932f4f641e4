// Gradient operators, as ONNX Runtime names them (domain com.microsoft).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_TRAINING_TD
#define TUTTI_ONNX_TRAINING_TD

include "dialects/onnx/elementwise/Elementwise.td"

// The gradient of an elementwise operator from the gradient of its result and a saved tensor of the same shape.
class Onnx_UnaryGradOp<string name, string saved>
    : Onnx_Elementwise<name, !dag(ins, [Onnx_FloatTensor, Onnx_FloatTensor], ["dY", saved]), (outs Onnx_FloatTensor:$dX)> {
  let linear = [["dY"]];
  let inferenceCode = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return inferActivationGradient({getOperationName(), location, types}, adaptor.getDY(), adaptor.getOperands()[1], "}]
      # saved # [{");
    }
  }];
}

def Onnx_ReluGradOp : Onnx_UnaryGradOp<"ReluGrad", "X"> {
  let formula = "select(0 < X, dY, 0)";
  let summary = "gradient of onnx.Relu";
  let description = [{
    `dX = X > 0 ? dY : 0`. X is the operand or the result of the Relu: the answer is the same.

    **Constraints**
    - (C1) the operands have one type.

    Example:
    ```mlir
    %dx = onnx.ReluGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_SigmoidGradOp : Onnx_UnaryGradOp<"SigmoidGrad", "Y"> {
  let formula = "dY * (Y * (1 - Y))";
  let summary = "gradient of onnx.Sigmoid";
  let description = [{
    `dX = dY * Y * (1 - Y)` with the Sigmoid's result Y.

    **Constraints**
    - (C1) the operands have one type.

    Example:
    ```mlir
    %dx = onnx.SigmoidGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_TanhGradOp : Onnx_UnaryGradOp<"TanhGrad", "Y"> {
  let formula = "dY * (1 - Y * Y)";
  let summary = "gradient of onnx.Tanh";
  let description = [{
    `dX = dY * (1 - Y * Y)` with the Tanh's result Y.

    **Constraints**
    - (C1) the operands have one type.

    Example:
    ```mlir
    %dx = onnx.TanhGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

// The gradient of an operator of the softmax family.
class Onnx_SoftmaxFamilyGradOp<string name> : Onnx_Op<name> {
  let sharding = "p.. k^ q.., p.. k q.. -> p.. k q..";
  let linear = [["dY"]];
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis";
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$Y, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Onnx_FloatTensor:$dX);
}

def Onnx_SoftmaxGradOp : Onnx_SoftmaxFamilyGradOp<"SoftmaxGrad"> {
  let summary = "gradient of onnx.Softmax";
  let description = [{
    `dX = Y * (dY - sum(dY * Y))` with the Softmax's result Y, the sum along `axis`. (`SoftmaxGrad_13` of ONNX Runtime.)

    **Constraints**
    - (C1) the operands have one type.
    - (C2) `axis` is in [-rank, rank).

    Example:
    ```mlir
    %dx = onnx.SoftmaxGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_LogSoftmaxGradOp : Onnx_SoftmaxFamilyGradOp<"LogSoftmaxGrad"> {
  let summary = "gradient of onnx.LogSoftmax";
  let description = [{
    `dX = dY - e ^ Y * sum(dY)` with the LogSoftmax's result Y, the sum along `axis`. (`LogSoftmaxGrad_13` of ONNX
    Runtime.)

    **Constraints**
    - (C1) the operands have one type.
    - (C2) `axis` is in [-rank, rank).

    Example:
    ```mlir
    %dx = onnx.LogSoftmaxGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_SoftmaxCrossEntropyLossGradOp : Onnx_Op<"SoftmaxCrossEntropyLossGrad"> {
  let summary = "gradient of onnx.SoftmaxCrossEntropyLoss";
  let sharding = "(), n/ c^ d/.., n d.., c -> n c d..";
  let linear = [["dY"]];
  let shardingByAttributes = 1;
  let shardingNote = "reduction none and sum: n d, and dY has them for none; a mean over weights or labels that are not ignored: n^ d^";
  let description = [{
    `d_logits[c] = dY * w * (e ^ log_prob[c] - (c == label ? 1 : 0))`, where w is the label's weight (1 without
    `weights`, 0 where the label is `ignore_index`), divided by the sum of all w if `reduction` is `mean`.

    **Constraints**
    - (C1) `log_prob` has rank 2 at least, and `label` its shape without dimension 1.
    - (C2) `weights` is [classes] and has the element type of `log_prob`.
    - (C3) `reduction` is none, sum or mean.
    - (C4) `dY` is a scalar, or of the shape of `label` if `reduction` is none.

    Example:
    ```mlir
    %dx = onnx.SoftmaxCrossEntropyLossGrad %dy, %log_prob, %label
       : (tensor<f32>, tensor<?x10xf32>, tensor<?xi64>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$log_prob, Onnx_IndexTensor:$label,
                       Optional<Onnx_FloatVector>:$weights, OptionalAttr<I64Attr>:$ignore_index,
                       DefaultValuedStrAttr<StrAttr, "mean">:$reduction);
  let results = (outs Onnx_FloatTensor:$d_logits);
}

def Onnx_DropoutGradOp : Onnx_Op<"DropoutGrad", [AttrSizedOperandSegments]> {
  let summary = "gradient of onnx.Dropout";
  let sharding = "a.., a.., (), () -> a..";
  let linear = [["dY"]];
  let description = [{
    `dX = mask ? dY / (1 - ratio) : 0` in training, else `dX = dY`. The optional operands are those of the Dropout, and
    mean the same when they are missing.

    **Constraints**
    - (C1) `mask` has the shape of `dY`.
    - (C2) `ratio` is a scalar float, `training_mode` a scalar bool.

    Example:
    ```mlir
    %dx = onnx.DropoutGrad %dy, %mask ratio %r training %t
       : (tensor<?x10xf32>, tensor<?x10xi1>, tensor<f32>, tensor<i1>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_BoolTensor:$mask, Optional<Onnx_FloatTensor>:$ratio,
                       Optional<Onnx_BoolTensor>:$training_mode);
  let results = (outs Onnx_FloatTensor:$dX);
  let assemblyFormat = [{
    $dY `,` $mask (`ratio` $ratio^)? (`training` $training_mode^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Onnx_ConvGradOp : Onnx_Op<"ConvGrad"> {
  let summary = "gradients of onnx.Conv";
  let sharding = "n+ o+ s~.., n c s.., o c t^.. -> n c s.., o c t.., o";
  let linear = [["dY"]];
  let shardingByAttributes = 1;
  let shardingNote = "groups are a factor g in (g c) and (g o); s is + where the window is one element";
  let description = [{
    The gradients of the Conv's data, weights and bias. The attributes are the Conv's. Lowering computes only the
    results that are used; X is needed for its shape even if `dW` is not.

    **Constraints**
    - (C1) X, W and the attributes are those of a valid `onnx.Conv`, and `dY` has the type of its result.

    Example:
    ```mlir
    %dx, %dw, %db = onnx.ConvGrad %dy, %x, %w {pads = array<i64: 1, 1, 1, 1>}
       : (tensor<?x16x8x8xf32>, tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>)
      -> (tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = !con((ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, Onnx_FloatTensor:$W,
                            OptionalAttr<DenseI64ArrayAttr>:$kernel_shape,
                            DefaultValuedAttr<I64Attr, "1">:$group),
                       Onnx_Window.padding, Onnx_Window.dilation);
  let results = (outs Onnx_FloatTensor:$dX, Onnx_FloatTensor:$dW, Onnx_FloatVector:$dB);
  let declarations = Onnx_Window.declarations;
}

def Onnx_MaxPoolGradOp : Onnx_Op<"MaxPoolGrad"> {
  let summary = "gradient of onnx.MaxPool";
  let sharding = "n c s~.., n c s.. -> n c s..";
  let linear = [["dY"]];
  let shardingByAttributes = 1;
  let shardingNote = "s passes where the window is one element";
  let description = [{
    Gives each element of `dY` to the first largest element of its window of X. The attributes are the MaxPool's. (ONNX
    Runtime's operator takes the indices of the maxima; here they are found again.)

    **Constraints**
    - (C1) X and the attributes are those of a valid `onnx.MaxPool`, and `dY` has the type of its result.

    Example:
    ```mlir
    %dx = onnx.MaxPoolGrad %dy, %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
       : (tensor<?x16x4x4xf32>, tensor<?x16x8x8xf32>) -> tensor<?x16x8x8xf32>
    ```
  }];
  let arguments = !con((ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, DenseI64ArrayAttr:$kernel_shape,
                            DefaultValuedAttr<I64Attr, "0">:$ceil_mode,
                            DefaultValuedAttr<I64Attr, "0">:$storage_order),
                       Onnx_Window.padding, Onnx_Window.dilation);
  let results = (outs Onnx_FloatTensor:$dX);
  let declarations = Onnx_Window.declarations;
}

def Onnx_AveragePoolGradOp : Onnx_Op<"AveragePoolGrad"> {
  let summary = "gradient of onnx.AveragePool";
  let sharding = "n c s~.., n c s.. -> n c s..";
  let linear = [["dY"]];
  let shapes = ["X"];
  let shardingByAttributes = 1;
  let shardingNote = "s passes where the window is one element";
  let description = [{
    Gives each element of `dY`, divided as in the AveragePool, to all elements of its window. Only the shape of X, the
    AveragePool's operand, matters. The attributes are the AveragePool's.

    **Constraints**
    - (C1) X and the attributes are those of a valid `onnx.AveragePool`, and `dY` has the type of its result.

    Example:
    ```mlir
    %dx = onnx.AveragePoolGrad %dy, %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
       : (tensor<?x16x4x4xf32>, tensor<?x16x8x8xf32>) -> tensor<?x16x8x8xf32>
    ```
  }];
  let arguments = !con((ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, DenseI64ArrayAttr:$kernel_shape,
                            DefaultValuedAttr<I64Attr, "0">:$ceil_mode,
                            DefaultValuedAttr<I64Attr, "0">:$count_include_pad),
                       Onnx_Window.padding, Onnx_Window.dilation);
  let results = (outs Onnx_FloatTensor:$dX);
  let declarations = Onnx_Window.declarations;
}

#endif
