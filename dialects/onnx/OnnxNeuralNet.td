// Layers: convolution, pooling, normalization, dropout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_NEURALNET_TD
#define TUTTI_ONNX_NEURALNET_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_ConvOp : Onnx_DifferentiableOp<"Conv"> {
  let summary = "convolution over 1 to 3 spatial dimensions";
  let sharding = "n c+ s~.., o c t^.., o -> n o s..";
  let linear = [["X", "B"], ["W", "B"]];
  let shardingByAttributes = 1;
  let shardingNote = "groups are a factor g in (g c) and (g o); s passes where the window is one element";
  let description = [{
    X is [batch, channels, spatial...], W is [out channels, channels / group, kernel...], B is [out channels].
    The channels are divided into `group` independent parts. `pads` holds all begins, then all ends;
    `auto_pad` chooses them so that the result has ceil(in / stride) elements (`SAME_UPPER`, `SAME_LOWER`:
    where an odd element of padding goes) or that there is no padding (`VALID`). Missing `pads` are 0,
    missing `strides` and `dilations` 1, a missing `kernel_shape` is W's.

    **Constraints**
    - (C1) X has rank 3 to 5 and W has X's rank.
    - (C2) X has W's channels times `group`, and `group` divides the out channels.
    - (C3) `kernel_shape`, `strides`, `dilations` have an entry per spatial dimension and `pads` two;
      they are positive (`pads`: not negative).
    - (C4) `kernel_shape` is W's.
    - (C5) `auto_pad` is NOTSET, VALID, SAME_UPPER or SAME_LOWER; anything but NOTSET excludes `pads`, and SAME
      needs static spatial dimensions.
    - (C6) the window fits into the padded input.
    - (C7) B is [out channels].
    - (C8) all operands have one element type, which is the result's.

    Example:
    ```mlir
    %y = onnx.Conv %x, %w, %b {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
       : (tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>) -> tensor<?x16x8x8xf32>
    ```
  }];
  let arguments = !con((ins Onnx_FloatTensor:$X, Onnx_FloatTensor:$W, Optional<Onnx_FloatVector>:$B,
                            OptionalAttr<DenseI64ArrayAttr>:$kernel_shape,
                            DefaultValuedAttr<I64Attr, "1">:$group),
                       Onnx_Window.padding, Onnx_Window.dilation);
  let results = (outs Onnx_FloatTensor:$Y);
  let declarations = Onnx_Window.declarations;
}

def Onnx_MaxPoolOp : Onnx_DifferentiableOp<"MaxPool"> {
  let summary = "largest element of each window";
  let sharding = "n c s~.. -> n c s..";
  let shardingByAttributes = 1;
  let shardingNote = "s passes where the window is one element";
  let description = [{
    X is [batch, channels, spatial...]; the window slides over each channel. Padding never wins. With
    `ceil_mode` the last window may reach beyond the padded input. The attributes mean what they mean for
    `onnx.Conv`. The optional result `Indices` of the standard is not part of this op.

    **Constraints**
    - (C1) X has rank 3 to 5.
    - (C2) `kernel_shape`, `strides`, `dilations` have an entry per spatial dimension and `pads` two;
      they are positive (`pads`: not negative).
    - (C3) `auto_pad` as (C5) of `onnx.Conv`.
    - (C4) the window fits into the padded input.
    - (C5) `storage_order` is 0.

    Example:
    ```mlir
    %y = onnx.MaxPool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
       : (tensor<?x16x8x8xf32>) -> tensor<?x16x4x4xf32>
    ```
  }];
  let arguments = !con((ins Onnx_FloatTensor:$X, DenseI64ArrayAttr:$kernel_shape,
                            DefaultValuedAttr<I64Attr, "0">:$ceil_mode,
                            DefaultValuedAttr<I64Attr, "0">:$storage_order),
                       Onnx_Window.padding, Onnx_Window.dilation);
  let results = (outs Onnx_FloatTensor:$Y);
  let declarations = Onnx_Window.declarations;
}

def Onnx_AveragePoolOp : Onnx_DifferentiableOp<"AveragePool"> {
  let summary = "mean of each window";
  let sharding = "n c s~.. -> n c s..";
  let linear = [["X"]];
  let shardingByAttributes = 1;
  let shardingNote = "s passes where the window is one element";
  let description = [{
    As `onnx.MaxPool`, with the mean. Elements of the padding count for the divisor only if
    `count_include_pad` is not 0.

    **Constraints**
    - (C1) X has rank 3 to 5.
    - (C2) `kernel_shape`, `strides`, `dilations` have an entry per spatial dimension and `pads` two;
      they are positive (`pads`: not negative).
    - (C3) `auto_pad` as (C5) of `onnx.Conv`.
    - (C4) the window fits into the padded input.

    Example:
    ```mlir
    %y = onnx.AveragePool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
       : (tensor<?x16x8x8xf32>) -> tensor<?x16x4x4xf32>
    ```
  }];
  let arguments = !con((ins Onnx_FloatTensor:$X, DenseI64ArrayAttr:$kernel_shape,
                            DefaultValuedAttr<I64Attr, "0">:$ceil_mode,
                            DefaultValuedAttr<I64Attr, "0">:$count_include_pad),
                       Onnx_Window.padding, Onnx_Window.dilation);
  let results = (outs Onnx_FloatTensor:$Y);
  let declarations = Onnx_Window.declarations;
}

def Onnx_GlobalAveragePoolOp : Onnx_DifferentiableOp<"GlobalAveragePool"> {
  let summary = "mean over all spatial dimensions";
  let sharding = "n c s/.. -> n c s..";
  let linear = [["X"]];
  let description = [{
    X is [batch, channels, spatial...]; each spatial dimension of the result is 1.

    **Constraints**
    - (C1) X has rank 3 at least.

    Example:
    ```mlir
    %y = onnx.GlobalAveragePool %x : (tensor<?x16x4x4xf32>) -> tensor<?x16x1x1xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$X);
  let results = (outs Onnx_FloatTensor:$Y);
}

def Onnx_BatchNormalizationOp : Onnx_DifferentiableOp<"BatchNormalization"> {
  let summary = "normalization of each channel";
  let sharding = "n c s.., c, c, c, c -> n c s.., c, c";
  let shardingByAttributes = 1;
  let shardingNote = "in training n^ s^";
  let description = [{
    `Y = (X - mean) / sqrt(var + epsilon) * scale + B`, where dimension 1 of X is the channels. If `training_mode`
    is 0, mean and var are `input_mean` and `input_var`, and so are the other two results. Otherwise they are
    those of the batch (population variance) and the other results are
    `running = input * momentum + batch * (1 - momentum)`; canonicalization and the expansion of gradients
    rewrite that form to `onnx.BatchNormInternal`.

    **Constraints**
    - (C1) X has rank 2 at least.
    - (C2) `scale`, `B`, `input_mean`, `input_var` are [channels].

    Example:
    ```mlir
    %y, %rm, %rv = onnx.BatchNormalization %x, %scale, %b, %mean, %var {training_mode = 1 : i64}
       : (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$X, Onnx_FloatVector:$scale, Onnx_FloatVector:$B,
                       Onnx_FloatVector:$input_mean, Onnx_FloatVector:$input_var,
                       DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon,
                       DefaultValuedAttr<F32Attr, "0.9f">:$momentum,
                       DefaultValuedAttr<I64Attr, "0">:$training_mode);
  let results = (outs Onnx_FloatTensor:$Y, Onnx_FloatVector:$running_mean, Onnx_FloatVector:$running_var);
  let hasCanonicalizer = 1;
}

def Onnx_DropoutOp : Onnx_InferredOp<"Dropout", [
    AttrSizedOperandSegments, DrawsOp, PlacedDrawsOpInterface, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface>]> {
  let summary = "drops elements at random";
  let sharding = "a.., (), () -> a.., a..";
  let linear = [["data"]];
  let shardingByAttributes = 1;
  let shardingNote = "the mask follows from the index in the whole tensor";
  let declarations = [{
    ::mlir::Value getDrawnFor() { return getData(); }
  }];
  let description = [{
    In training, each element is kept with probability `1 - ratio` and then divided by it, and `mask` tells which are
    kept; otherwise the result is `data` and the mask is true. A missing `ratio` is 0.5, a missing
    `training_mode` is false. Which elements are dropped depends on the run's seed, the step, the op and the index
    of the sample in the global batch, never on the number of ranks. Each op draws anew: two equal ops are not one.

    `samples` says where the samples are: along the dimension of its first entry, which is as many blocks of all samples as its
    second entry says. Without it they are along dimension 0, one block; if it is empty, nowhere: each rank draws the same.

    **Constraints**
    - (C1) `ratio` is a scalar float, `training_mode` a scalar bool.
    - (C2) a constant `ratio` is at least 0 and less than 1.
    - (C3) `samples` is empty, or a dimension of `data` and a positive number.

    Example:
    ```mlir
    %y, %mask = onnx.Dropout %x ratio %r training %t
       : (tensor<?x10xf32>, tensor<f32>, tensor<i1>) -> (tensor<?x10xf32>, tensor<?x10xi1>)
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$data, Optional<Onnx_FloatTensor>:$ratio,
                       Optional<Onnx_BoolTensor>:$training_mode, OptionalAttr<I64Attr>:$seed,
                       OptionalAttr<DenseI64ArrayAttr>:$samples);
  let results = (outs Res<Onnx_FloatTensor, "", [MemAlloc]>:$output, Res<Onnx_BoolTensor, "", [MemAlloc]>:$mask);
  let assemblyFormat = [{
    $data (`ratio` $ratio^)? (`training` $training_mode^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif
