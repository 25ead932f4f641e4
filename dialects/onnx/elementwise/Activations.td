// The table of elementwise operators: activations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_ACTIVATIONS_TD
#define TUTTI_ONNX_ACTIVATIONS_TD

include "dialects/onnx/elementwise/Elementwise.td"

def Onnx_ReluOp : Onnx_Unary<"Relu", "`Y = max(X, 0)`. Its gradient at 0 is 0."> {
  let summary = "elementwise rectifier";
  let formula = "select(X < 0, 0, X)"; // one instruction, and what is no number stays none
  let hasOwnGradient = 1;
}

def Onnx_SigmoidOp : Onnx_Unary<"Sigmoid", "`Y = 1 / (1 + e ^ -X)`."> {
  let summary = "elementwise logistic function";
  let formula = "1 / (1 + exp(-X))";
  let hasOwnGradient = 1;
}

def Onnx_TanhOp : Onnx_Unary<"Tanh", "`output = tanh(input)`.", "input", "output"> {
  let summary = "elementwise hyperbolic tangent";
  let formula = "tanh(input)";
  let hasOwnGradient = 1;
}

def Onnx_SoftplusOp : Onnx_Unary<"Softplus", "`Y = ln(1 + e ^ X)`, exact far from 0 on both sides."> {
  let summary = "elementwise smooth rectifier";
  let formula = "max(X, 0) + log1p(exp(-abs(X)))";
  let slopes = ["dY * sigmoid(X)"];
}

def Onnx_SoftsignOp : Onnx_Unary<"Softsign", "`output = input / (1 + |input|)`.", "input", "output"> {
  let summary = "elementwise softsign";
  let formula = "input / (1 + abs(input))";
  let slopes = ["doutput / ((1 + abs(input)) * (1 + abs(input)))"];
}

def Onnx_LeakyReluOp : Onnx_Unary<"LeakyRelu", "X, or `alpha * X` where X is negative. Its gradient at 0 is `alpha`.", "X", "Y",
                                  (ins DefaultValuedAttr<F32Attr, "0.01f">:$alpha)> {
  let summary = "elementwise rectifier with a slope";
  let numbers = ["alpha"];
  let formula = "select(X < 0, alpha * X, X)";
  let slopes = ["select(0 < X, dY, alpha * dY)"];
}

def Onnx_PReluOp : Onnx_DifferentiableElementwise<"PRelu", (ins Onnx_FloatTensor:$X, Onnx_FloatTensor:$slope),
                                                  (outs Onnx_FloatTensor:$Y)> {
  let summary = "elementwise rectifier with slopes that are learned";
  let description = Onnx_Text<"PRelu", "X, or `slope * X` where X is negative. Its gradient at 0 is `slope`.", "%x, %slope",
                              "tensor<?x10xf32>, tensor<10xf32>", "tensor<?x10xf32>",
                              Onnx_Broadcasting<"X and `slope`">.constraints>.description;
  let formula = "select(X < 0, slope * X, X)";
  let slopes = ["select(0 < X, dY, slope * dY)", "select(X < 0, X * dY, 0)"];
}

def Onnx_EluOp : Onnx_Unary<"Elu", "X, or `alpha * (e ^ X - 1)` where X is negative. Its gradient at 0 is `alpha`.", "X", "Y",
                            (ins DefaultValuedAttr<F32Attr, "1.0f">:$alpha)> {
  let summary = "elementwise exponential linear unit";
  let numbers = ["alpha"];
  let formula = "select(X < 0, alpha * expm1(min(X, 0)), X)";
  let slopes = ["select(0 < X, dY, dY * (Y + alpha))"];
}

def Onnx_SeluOp : Onnx_Unary<"Selu", "`gamma * X`, or `gamma * alpha * (e ^ X - 1)` where X is not positive.", "X", "Y",
                             (ins DefaultValuedAttr<F32Attr, "1.67326319217681884765625f">:$alpha,
                                  DefaultValuedAttr<F32Attr, "1.05070102214813232421875f">:$gamma)> {
  let summary = "elementwise scaled exponential linear unit";
  let numbers = ["alpha", "gamma"];
  let formula = "select(0 < X, gamma * X, gamma * alpha * expm1(min(X, 0)))";
  let slopes = ["select(0 < X, gamma * dY, dY * (Y + gamma * alpha))"];
}

def Onnx_CeluOp : Onnx_Unary<"Celu", "X, or `alpha * (e ^ (X / alpha) - 1)` where X is negative.", "X", "Y",
                             (ins DefaultValuedAttr<F32Attr, "1.0f">:$alpha)> {
  let summary = "elementwise exponential linear unit with a continuous slope";
  let numbers = ["alpha"];
  let formula = "select(X < 0, alpha * expm1(min(X, 0) / alpha), X)";
  let slopes = ["select(X < 0, dY * (Y / alpha + 1), dY)"];
}

def Onnx_HardSigmoidOp : Onnx_Unary<"HardSigmoid", "`Y = max(0, min(1, alpha * X + beta))`.", "X", "Y",
                                    (ins DefaultValuedAttr<F32Attr, "0.2f">:$alpha,
                                         DefaultValuedAttr<F32Attr, "0.5f">:$beta)> {
  let summary = "elementwise logistic function of straight lines";
  let numbers = ["alpha", "beta"];
  let formula = "max(0, min(1, alpha * X + beta))";
  let slopes = ["select((0 < Y) & (Y < 1), alpha * dY, 0)"];
}

def Onnx_HardSwishOp : Onnx_Unary<"HardSwish", "`Y = X * max(0, min(1, X / 6 + 1 / 2))`."> {
  let summary = "elementwise swish of straight lines";
  let formula = "X * max(0, min(1, X / 6 + 0.5))";
  let slopes = ["select((-3 < X) & (X < 3), dY * (X / 3 + 0.5), select(X < 0, 0, dY))"];
}

def Onnx_ThresholdedReluOp : Onnx_Unary<"ThresholdedRelu", "X where it is above `alpha`, else 0.", "X", "Y",
                                        (ins DefaultValuedAttr<F32Attr, "1.0f">:$alpha)> {
  let summary = "elementwise rectifier with a threshold";
  let numbers = ["alpha"];
  let formula = "select(alpha < X, X, 0)";
  let slopes = ["select(alpha < X, dY, 0)"];
}

def Onnx_ShrinkOp : Onnx_Unary<"Shrink", [{
    `input - bias` above `lambd`, `input + bias` below `-lambd`, else 0.}], "input", "output",
                               (ins DefaultValuedAttr<F32Attr, "0.0f">:$bias,
                                    DefaultValuedAttr<F32Attr, "0.5f">:$lambd)> {
  let summary = "elementwise shrinkage";
  let numbers = ["bias", "lambd"];
  let formula = "select(input < -lambd, input + bias, select(lambd < input, input - bias, 0))";
  let slopes = ["select((input < -lambd) | (lambd < input), doutput, 0)"];
}

def Onnx_GeluOp : Onnx_Unary<"Gelu", [{
    `Y = X / 2 * (1 + erf(X / sqrt(2)))`, or with `approximate` = `tanh`
    `X / 2 * (1 + tanh(sqrt(2 / pi) * (X + 0.044715 * X^3)))`.

    **Constraints**
    - (C1) `approximate` is none or tanh.}], "X", "Y", (ins DefaultValuedStrAttr<StrAttr, "none">:$approximate)> {
  let summary = "elementwise Gaussian error linear unit";
  let formula = "getApproximate() == \"tanh\" ? geluByTanh(X) : geluByErf(X)";
  let slopes = ["dY * (getApproximate() == \"tanh\" ? slopeOfGeluByTanh(X) : slopeOfGeluByErf(X))"];
  let hasVerifier = 1;
}

#endif
