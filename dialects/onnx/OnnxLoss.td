// Softmax and the loss made of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_LOSS_TD
#define TUTTI_ONNX_LOSS_TD

include "dialects/onnx/OnnxDialect.td"

// Exponentials normalized along one axis.
class Onnx_SoftmaxFamilyOp<string name> : Onnx_DifferentiableOp<name> {
  let sharding = "p.. k^ q.. -> p.. k q..";
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis";
  let arguments = (ins Onnx_FloatTensor:$input, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Onnx_FloatTensor:$output);
}

def Onnx_SoftmaxOp : Onnx_SoftmaxFamilyOp<"Softmax"> {
  let summary = "exponentials that sum to one";
  let description = [{
    `output = e ^ input / sum(e ^ input)`, the sum along `axis` only (the meaning since operator set 13).

    **Constraints**
    - (C1) `axis` is in [-rank, rank).

    Example:
    ```mlir
    %p = onnx.Softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_LogSoftmaxOp : Onnx_SoftmaxFamilyOp<"LogSoftmax"> {
  let summary = "logarithm of the softmax";
  let description = [{
    `output = input - log(sum(e ^ input))`, the sum along `axis` only (the meaning since operator set 13).

    **Constraints**
    - (C1) `axis` is in [-rank, rank).

    Example:
    ```mlir
    %p = onnx.LogSoftmax %x {axis = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_SoftmaxCrossEntropyLossOp : Onnx_DifferentiableOp<"SoftmaxCrossEntropyLoss"> {
  let summary = "negative log likelihood of the labels under the softmax of the scores";
  let sharding = "n/ c^ d/.., n d.., c -> (), n c d..";
  let shardingByAttributes = 1;
  let shardingNote = "reduction none: n d pass; sum: n+ d+; a mean over weights or labels that are not ignored: n^ d^";
  let description = [{
    `scores` is [batch, classes, d...], `labels` [batch, d...], `weights` [classes]. `log_prob` is the LogSoftmax of
    `scores` along axis 1. The loss of one label l is `-weights[l] * log_prob[l]` (weights 1 if missing), or 0
    where l is `ignore_index`. `reduction` is `none` (result [batch, d...]), `sum`, or `mean`: the sum over
    the losses, divided by the sum of the weights of all labels that are not ignored. A label that is no class and is not
    ignored ends the run with an error that names the sample.

    **Constraints**
    - (C1) `scores` has rank 2 at least, and `labels` its shape without dimension 1.
    - (C2) `weights` is [classes] and has the element type of `scores`.
    - (C3) `reduction` is none, sum or mean.

    Example:
    ```mlir
    %loss, %log_prob = onnx.SoftmaxCrossEntropyLoss %scores, %labels
       : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x10xf32>)
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$scores, Onnx_IndexTensor:$labels, Optional<Onnx_FloatVector>:$weights,
                       OptionalAttr<I64Attr>:$ignore_index,
                       DefaultValuedStrAttr<StrAttr, "mean">:$reduction);
  let results = (outs Onnx_FloatTensor:$output, Onnx_FloatTensor:$log_prob);
}

#endif
