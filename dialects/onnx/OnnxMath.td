// Powers, conversions of type, and matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_MATH_TD
#define TUTTI_ONNX_MATH_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_PowOp : Onnx_DifferentiableOp<"Pow"> {
  let summary = "elementwise power";
  let sharding = "a.., a.. -> a..";
  let description = [{
    `Z = X ^ Y`, broadcasting as `onnx.Add` does. The exponent may have another element type than the base,
    whose type the result has. Where the exponent is 0, so is the gradient of the base; where the base is 0 and the exponent
    not negative, so is the gradient of the exponent. The gradient of a root of powers is 0 where all of them are.

    **Constraints**
    - (C1) the shapes broadcast to one shape.

    Example:
    ```mlir
    %z = onnx.Pow %x, %two : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_NumberTensor:$X, Onnx_NumberTensor:$Y);
  let results = (outs Onnx_NumberTensor:$Z);
  let hasCanonicalizer = 1;
}

def Onnx_CastOp : Onnx_DifferentiableOp<"Cast"> {
  let summary = "elementwise conversion of type";
  let sharding = "a.. -> a..";
  let linear = [["input"]];
  let linearByAttributes = 1;
  let shardingNote = "linear from any number to a float that is not narrower, or to an integer that is not";
  let description = [{
    Converts each element to the type `to`. Floats become integers by truncation towards zero; one that
    is out of range becomes the nearest integer of the type, and what is no number becomes 0. Anything becomes a bool by comparing it with zero. Differentiable between float types only.

    **Constraints**
    - (C1) `to` is a float, an integer or a bool (`i1`) type.

    Example:
    ```mlir
    %y = onnx.Cast %x {to = f16} : (tensor<?x10xf32>) -> tensor<?x10xf16>
    ```
  }];
  let arguments = (ins Onnx_Tensor:$input, TypeAttr:$to);
  let results = (outs Onnx_Tensor:$output);
  let hasFolder = 1;
}

def Onnx_MatMulOp : Onnx_DifferentiableOp<"MatMul"> {
  let summary = "matrix product as numpy.matmul";
  let sharding = "b.. m k+, b.. k n -> b.. m n";
  let linear = [["A"], ["B"]];
  let shardingByAttributes = 1;
  let shardingNote = "an operand of rank 1 has k alone";
  let description = [{
    Multiplies the matrices in the last two dimensions; the dimensions before them broadcast. An operand of
    rank 1 is a row (A) or a column (B) whose added dimension is dropped from the result.

    **Constraints**
    - (C1) neither operand is a scalar.
    - (C2) the last dimension of A equals the last but one of B (or the only one).
    - (C3) the batch dimensions broadcast to one shape.
    - (C4) A and B have one element type, which is the result's.

    Example:
    ```mlir
    %y = onnx.MatMul %a, %b : (tensor<?x8x64xf32>, tensor<64x10xf32>) -> tensor<?x8x10xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$A, Onnx_FloatTensor:$B);
  let results = (outs Onnx_FloatTensor:$Y);
}

def Onnx_GemmOp : Onnx_DifferentiableOp<"Gemm"> {
  let summary = "scaled matrix product and sum";
  let sharding = "m k+, k n, m n -> m n";
  let linear = [["A", "C"], ["B", "C"]];
  let shardingByAttributes = 1;
  let shardingNote = "transA and transB exchange dimensions; C broadcasts";
  let description = [{
    `Y = alpha * A' * B' + beta * C` where A' is A, transposed if `transA` is not 0, and B' likewise. C is
    optional and broadcasts to the result.

    **Constraints**
    - (C1) A and B have rank 2.
    - (C2) the columns of A' are as many as the rows of B'.
    - (C3) the shape of C broadcasts to the result's.
    - (C4) all operands have one element type, which is the result's.

    Example:
    ```mlir
    %y = onnx.Gemm %x, %w, %b {transB = 1 : i64}
       : (tensor<?x64xf32>, tensor<10x64xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_FloatTensor:$A, Onnx_FloatTensor:$B, Optional<Onnx_FloatTensor>:$C,
                       DefaultValuedAttr<F32Attr, "1.0f">:$alpha, DefaultValuedAttr<F32Attr, "1.0f">:$beta,
                       DefaultValuedAttr<I64Attr, "0">:$transA, DefaultValuedAttr<I64Attr, "0">:$transB);
  let results = (outs Onnx_FloatTensor:$Y);
}

#endif
