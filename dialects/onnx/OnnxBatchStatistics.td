// Batch normalization in training: the form with saved statistics, its gradient, and the statistics alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_BATCHSTATISTICS_TD
#define TUTTI_ONNX_BATCHSTATISTICS_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_BatchNormInternalOp : Onnx_DifferentiableOp<"BatchNormInternal", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<BatchStatisticsOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface, ["doesResultDependOn"]>]> {
  let summary = "batch normalization in training, with the statistics that its gradient needs";
  let sharding = "n^ c s^.., c, c, c, c, c, c -> n c s.., c, c, c, c";
  let shardingByAttributes = 1;
  let shardingNote = "n and s pass where statistics are given";
  let description = [{
    With the mean and the population variance of X over all dimensions but 1 (the channels):
    `saved_mean = mean`, `saved_inv_std = 1 / sqrt(var + epsilon)`, `Y = (X - saved_mean) * saved_inv_std * scale + B`,
    `running_mean = input_mean * momentum + mean * (1 - momentum)`, `running_var` likewise. If `batch_mean` and
    `batch_var` are given, they are used in place of X's own: that is how statistics are taken over several
    ranks. When they turn out to be X's own, canonicalization drops them.

    **Constraints**
    - (C1) X has rank 2 at least.
    - (C2) all other operands are [channels].
    - (C3) `batch_mean` and `batch_var` are both given or both missing.

    Example:
    ```mlir
    %y, %rm, %rv, %m, %s = onnx.BatchNormInternal %x, %scale, %b, %mean, %var
       : (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$X, Onnx_FloatVector:$scale, Onnx_FloatVector:$B,
                       Onnx_FloatVector:$input_mean, Onnx_FloatVector:$input_var,
                       Optional<Onnx_FloatVector>:$batch_mean, Optional<Onnx_FloatVector>:$batch_var,
                       DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon,
                       DefaultValuedAttr<F32Attr, "0.9f">:$momentum);
  let results = (outs Onnx_FloatTensor:$Y, Onnx_FloatVector:$running_mean, Onnx_FloatVector:$running_var,
                      Onnx_FloatVector:$saved_mean, Onnx_FloatVector:$saved_inv_std);
  let assemblyFormat = [{
    $X `,` $scale `,` $B `,` $input_mean `,` $input_var
    (`mean` $batch_mean^)? (`variance` $batch_var^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Onnx_BatchNormalizationGradOp : Onnx_Op<"BatchNormalizationGrad", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<BatchStatisticsOpInterface, ["takesMeansOfGradients"]>]> {
  let summary = "gradient of onnx.BatchNormInternal";
  let sharding = "n^ c s^.., n c s.., c, c, c, c, c -> n c s.., c, c";
  let linear = [["dY", "mean_dy", "mean_dy_xhat"]];
  let shardingByAttributes = 1;
  let shardingNote = "n+ s+ where means are given";
  let description = [{
    With `xhat = (X - saved_mean) * saved_inv_std`: `dscale = sum(dY * xhat)`, `dB = sum(dY)` over all
    dimensions but 1, and `dX = scale * saved_inv_std * (dY - mean_dy - xhat * mean_dy_xhat)`. The means are
    those of `dY` and of `dY * xhat` over the same dimensions, unless the optional operands give them: that is how
    they are taken over several ranks. When they turn out to be this op's own, canonicalization drops them.

    **Constraints**
    - (C1) X has rank 2 at least, and `dY` has its type.
    - (C2) all other operands are [channels].
    - (C3) `mean_dy` and `mean_dy_xhat` are both given or both missing.

    Example:
    ```mlir
    %dx, %dscale, %db = onnx.BatchNormalizationGrad %dy, %x, %scale, %m, %s
       : (tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, Onnx_FloatVector:$scale,
                       Onnx_FloatVector:$saved_mean, Onnx_FloatVector:$saved_inv_std,
                       Optional<Onnx_FloatVector>:$mean_dy, Optional<Onnx_FloatVector>:$mean_dy_xhat);
  let results = (outs Onnx_FloatTensor:$dX, Onnx_FloatVector:$dscale, Onnx_FloatVector:$dB);
  let assemblyFormat = [{
    $dY `,` $X `,` $scale `,` $saved_mean `,` $saved_inv_std
    (`mean` $mean_dy^)? (`covariance` $mean_dy_xhat^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Onnx_BatchMeanOp : Onnx_Op<"BatchMean"> {
  let summary = "mean of each channel";
  let sharding = "n/ c s/.. -> c";
  let linear = [["X"]];
  let description = [{
    The mean of X over all dimensions but 1.

    **Constraints**
    - (C1) X has rank 2 at least.

    Example:
    ```mlir
    %m = onnx.BatchMean %x : (tensor<?x16x8x8xf32>) -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$X);
  let results = (outs Onnx_FloatVector:$mean);
}

def Onnx_BatchVarianceOp : Onnx_Op<"BatchVariance"> {
  let summary = "mean square distance of each channel from a given mean";
  let sharding = "n/ c s/.., c -> c";
  let description = [{
    The mean of `(X - mean) ^ 2` over all dimensions but 1.

    **Constraints**
    - (C1) X has rank 2 at least.
    - (C2) `mean` is [channels].

    Example:
    ```mlir
    %v = onnx.BatchVariance %x, %m : (tensor<?x16x8x8xf32>, tensor<16xf32>) -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$X, Onnx_FloatVector:$mean);
  let results = (outs Onnx_FloatVector:$variance);
}

def Onnx_BatchCovarianceOp : Onnx_Op<"BatchCovariance"> {
  let summary = "mean product of a gradient with the normalized input, by channel";
  let sharding = "n/ c s/.., n c s.., c, c -> c";
  let linear = [["dY"]];
  let description = [{
    The mean of `dY * (X - mean) * inv_std` over all dimensions but 1.

    **Constraints**
    - (C1) X has rank 2 at least, and `dY` has its type.
    - (C2) `mean` and `inv_std` are [channels].

    Example:
    ```mlir
    %c = onnx.BatchCovariance %dy, %x, %m, %s
       : (tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$dY, Onnx_FloatTensor:$X, Onnx_FloatVector:$mean,
                       Onnx_FloatVector:$inv_std);
  let results = (outs Onnx_FloatVector:$covariance);
}

#endif
