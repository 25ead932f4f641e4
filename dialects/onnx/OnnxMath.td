// Arithmetic: elementwise operators and matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_MATH_TD
#define TUTTI_ONNX_MATH_TD

include "dialects/onnx/OnnxDialect.td"

// Result element = function of the two operand elements, with numpy broadcasting.
class Onnx_BinaryOp<string name, list<Trait> traits = []> : Onnx_DifferentiableOp<name, traits> {
  let arguments = (ins Onnx_NumberTensor:$A, Onnx_NumberTensor:$B);
  let results = (outs Onnx_NumberTensor:$C);
  let hasFolder = 1;
}

// Result element = function of the operand element, types equal.
class Onnx_FloatUnaryOp<string name, string operand, string result> : Onnx_DifferentiableOp<name> {
  let arguments = !dag(ins, [Onnx_FloatTensor], [operand]);
  let results = !dag(outs, [Onnx_FloatTensor], [result]);
}

def Onnx_AddOp : Onnx_BinaryOp<"Add", [Commutative]> {
  let summary = "elementwise sum";
  let description = [{
    `C = A + B`, with numpy broadcasting: shapes are aligned at their last dimension, a missing dimension or
    one of size 1 is repeated.

    **Constraints**
    - (C1) the shapes broadcast to one shape.
    - (C2) A and B have one element type, which is the result's.

    Example:
    ```mlir
    %c = onnx.Add %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_SubOp : Onnx_BinaryOp<"Sub"> {
  let summary = "elementwise difference";
  let description = [{
    `C = A - B`, broadcasting as `onnx.Add` does.

    **Constraints**
    - (C1) the shapes broadcast to one shape.
    - (C2) A and B have one element type, which is the result's.

    Example:
    ```mlir
    %c = onnx.Sub %a, %b : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_MulOp : Onnx_BinaryOp<"Mul", [Commutative]> {
  let summary = "elementwise product";
  let description = [{
    `C = A * B`, broadcasting as `onnx.Add` does.

    **Constraints**
    - (C1) the shapes broadcast to one shape.
    - (C2) A and B have one element type, which is the result's.

    Example:
    ```mlir
    %c = onnx.Mul %a, %b : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_DivOp : Onnx_BinaryOp<"Div"> {
  let summary = "elementwise quotient";
  let description = [{
    `C = A / B`, broadcasting as `onnx.Add` does. Quotients of integers are truncated;
    dividing one by 0 ends the run with an error, and the least integer divided by -1 is itself.

    **Constraints**
    - (C1) the shapes broadcast to one shape.
    - (C2) A and B have one element type, which is the result's.

    Example:
    ```mlir
    %c = onnx.Div %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_PowOp : Onnx_DifferentiableOp<"Pow"> {
  let summary = "elementwise power";
  let description = [{
    `Z = X ^ Y`, broadcasting as `onnx.Add` does. The exponent may have another element type than the base,
    whose type the result has. There is a gradient for the base, not for the exponent, which is a constant in
    every model that we know.

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

def Onnx_SumOp : Onnx_DifferentiableOp<"Sum"> {
  let summary = "elementwise sum of any number of tensors";
  let description = [{
    The sum of all operands, broadcasting as `onnx.Add` does. A sum of one or two is written as `onnx.Identity`
    or `onnx.Add` by canonicalization.

    **Constraints**
    - (C1) the shapes broadcast to one shape.
    - (C2) all operands have one element type, which is the result's.
    - (C3) there is at least one operand.

    Example:
    ```mlir
    %s = onnx.Sum %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Onnx_FloatTensor>:$data_0);
  let results = (outs Onnx_FloatTensor:$sum);
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Onnx_NegOp : Onnx_DifferentiableOp<"Neg"> {
  let summary = "elementwise negation";
  let description = [{
    `Y = -X`.

    Example:
    ```mlir
    %y = onnx.Neg %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Onnx_NumberTensor:$X);
  let results = (outs Onnx_NumberTensor:$Y);
  let hasFolder = 1;
}

def Onnx_SqrtOp : Onnx_FloatUnaryOp<"Sqrt", "X", "Y"> {
  let summary = "elementwise square root";
  let description = [{
    `Y = X ^ 0.5`; not a number where X is negative.

    Example:
    ```mlir
    %y = onnx.Sqrt %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_ExpOp : Onnx_FloatUnaryOp<"Exp", "input", "output"> {
  let summary = "elementwise exponential";
  let description = [{
    `output = e ^ input`.

    Example:
    ```mlir
    %y = onnx.Exp %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_LogOp : Onnx_FloatUnaryOp<"Log", "input", "output"> {
  let summary = "elementwise natural logarithm";
  let description = [{
    `output = ln(input)`.

    Example:
    ```mlir
    %y = onnx.Log %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_ErfOp : Onnx_FloatUnaryOp<"Erf", "input", "output"> {
  let summary = "elementwise error function";
  let description = [{
    `output = 2 / sqrt(pi) * integral of e ^ (-t^2) from 0 to input`.

    Example:
    ```mlir
    %y = onnx.Erf %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_ReluOp : Onnx_FloatUnaryOp<"Relu", "X", "Y"> {
  let summary = "elementwise rectifier";
  let description = [{
    `Y = max(X, 0)`. Its gradient at 0 is 0.

    Example:
    ```mlir
    %y = onnx.Relu %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_SigmoidOp : Onnx_FloatUnaryOp<"Sigmoid", "X", "Y"> {
  let summary = "elementwise logistic function";
  let description = [{
    `Y = 1 / (1 + e ^ -X)`.

    Example:
    ```mlir
    %y = onnx.Sigmoid %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_TanhOp : Onnx_FloatUnaryOp<"Tanh", "input", "output"> {
  let summary = "elementwise hyperbolic tangent";
  let description = [{
    `output = tanh(input)`.

    Example:
    ```mlir
    %y = onnx.Tanh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def Onnx_CastOp : Onnx_DifferentiableOp<"Cast"> {
  let summary = "elementwise conversion of type";
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
