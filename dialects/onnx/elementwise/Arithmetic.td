// The table of elementwise operators: arithmetic and functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_ARITHMETIC_TD
#define TUTTI_ONNX_ARITHMETIC_TD

include "dialects/onnx/elementwise/Elementwise.td"

def Onnx_AddOp : Onnx_Binary<"Add", [{
    `C = A + B`, with numpy broadcasting: shapes are aligned at their last dimension, a missing dimension or
    one of size 1 is repeated.}], (ins), [Commutative]> {
  let summary = "elementwise sum";
  let linear = [["A", "B"]];
  let formula = "A + B";
  let slopes = ["dC", "dC"];
  let hasFolder = 1;
}

def Onnx_SubOp : Onnx_Binary<"Sub", "`C = A - B`, broadcasting as `onnx.Add` does."> {
  let summary = "elementwise difference";
  let linear = [["A", "B"]];
  let formula = "A - B";
  let slopes = ["dC", "-dC"];
  let hasFolder = 1;
}

def Onnx_MulOp : Onnx_Binary<"Mul", "`C = A * B`, broadcasting as `onnx.Add` does.", (ins), [Commutative]> {
  let summary = "elementwise product";
  let linear = [["A"], ["B"]];
  let formula = "A * B";
  let slopes = ["dC * B", "dC * A"];
  let hasFolder = 1;
}

def Onnx_DivOp : Onnx_Binary<"Div", [{
    `C = A / B`, broadcasting as `onnx.Add` does. Quotients of integers are truncated;
    dividing one by 0 ends the run with an error, and the least integer divided by -1 is itself.}]> {
  let summary = "elementwise quotient";
  let linear = [["A"]];
  let linearByAttributes = 1;
  let shardingNote = "not linear where numbers are integers";
  let formula = "A / B";
  let slopes = ["dC / B", "-(dC / B * C)"];
  let hasFolder = 1;
}

def Onnx_ModOp : Onnx_DifferentiableElementwise<"Mod", (ins Onnx_NumberTensor:$A, Onnx_NumberTensor:$B),
                                                (outs Onnx_NumberTensor:$C), (ins DefaultValuedAttr<I64Attr, "0">:$fmod)> {
  let summary = "elementwise remainder";
  let description = Onnx_Text<"Mod", [{
    What is left of A divided by B, broadcasting as `onnx.Add` does. It has the sign of B, or that of A if `fmod` is not 0.
    A remainder of integers by 0 ends the run with an error. The gradient of B is that of A times how often B was taken off A, negated.}],
    "%a, %b",
    "tensor<?x10xi64>, tensor<10xi64>", "tensor<?x10xi64>",
    Onnx_Broadcasting<"A and B">.constraints>.description;
  let formula = "getFmod() != 0 ? remainder(A, B) : modulo(A, B)";
  let slopes = ["dC", "-(dC * round((A - C) / B))"];
}

def Onnx_SumOp : Onnx_Variadic<"Sum", [{
    The sum of all operands, broadcasting as `onnx.Add` does. A sum of one or two is written as `onnx.Identity`
    or `onnx.Add` by canonicalization.}], "sum", Onnx_FloatTensor> {
  let summary = "elementwise sum of any number of tensors";
  let linear = [["data_0"]];
  let formula = "std::accumulate(in.begin() + 1, in.end(), in[0])";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Onnx_MeanOp : Onnx_Variadic<"Mean", "The mean of all operands, broadcasting as `onnx.Add` does.", "mean",
                                Onnx_FloatTensor> {
  let summary = "elementwise mean of any number of tensors";
  let linear = [["data_0"]];
  let formula = "std::accumulate(in.begin() + 1, in.end(), in[0]) / double(in.size())";
}

def Onnx_MaxOp : Onnx_Variadic<"Max", [{
    The largest of all operands, broadcasting as `onnx.Add` does; not a number where one of them is none. Where several
    are the largest, they share the gradient.}], "max", Onnx_NumberTensor> {
  let summary = "elementwise maximum of any number of tensors";
  let formula = [{std::accumulate(in.begin() + 1, in.end(), in[0],
                              [](Number a, Number b) { return max(a, b); })}];
}

def Onnx_MinOp : Onnx_Variadic<"Min", [{
    The smallest of all operands, broadcasting as `onnx.Add` does; not a number where one of them is none. Where several
    are the smallest, they share the gradient.}], "min", Onnx_NumberTensor> {
  let summary = "elementwise minimum of any number of tensors";
  let formula = [{std::accumulate(in.begin() + 1, in.end(), in[0],
                              [](Number a, Number b) { return min(a, b); })}];
}

def Onnx_ClipOp : Onnx_DifferentiableElementwise<"Clip", (ins Onnx_NumberTensor:$input,
    Optional<Onnx_NumberTensor>:$min, Optional<Onnx_NumberTensor>:$max), (outs Onnx_NumberTensor:$output), (ins),
    [AttrSizedOperandSegments]> {
  let summary = "elements brought into bounds";
  let description = [{
    `output = min(max(input, min), max)`; a bound that is missing is none. The gradient passes where the input is within the
    bounds, and does not reach the bounds.

    **Constraints**
    - (C1) all operands have one element type, which is the result's.
    - (C2) `min` and `max` are scalars.

    Example:
    ```mlir
    %y = onnx.Clip %x min %low max %high : (tensor<?x10xf32>, tensor<f32>, tensor<f32>) -> tensor<?x10xf32>
    ```
  }];
  let assemblyFormat = [{
    $input (`min` $min^)? (`max` $max^)? attr-dict `:` functional-type(operands, results)
  }];
  let scalars = [];
  let formula = [{getMin() ? (getMax() ? min(max(in[0], in[1]), in[2]) : max(in[0], in[1]))
                         : (getMax() ? min(in[0], in[1]) : in[0])}];
  let hasOwnGradient = 1;
  let hasVerifier = 1;
}

def Onnx_FakeQuantizeOp : Onnx_DifferentiableElementwise<"FakeQuantize", (ins Onnx_FloatTensor:$X, Onnx_FloatTensor:$scale,
    Onnx_FloatTensor:$zero_point), (outs Onnx_FloatTensor:$Y), (ins F64Attr:$low, F64Attr:$high)> {
  let summary = "elements rounded as a number of few bits would have them";
  let description = Onnx_Text<"FakeQuantize", [{
    `(q - zero_point) * scale`, where q is `X / scale + zero_point`, rounded to a whole number, of two to the even one, and brought into
    `low` to `high`: a QuantizeLinear and the DequantizeLinear of it. The gradient passes as if nothing had been rounded, but where q was
    brought into its bounds it is 0; it does not reach `scale` and `zero_point`.}], "%x, %s, %z {high = 127.0 : f64, low = -128.0 : f64}",
    "tensor<?x10xf32>, tensor<f32>, tensor<f32>", "tensor<?x10xf32>",
    Onnx_Broadcasting<"all operands">.constraints>.description;
  let numbers = ["low", "high"];
  let formula = "(min(max(round(X / scale) + zero_point, low), high) - zero_point) * scale";
  let slopes = ["select((low <= round(X / scale) + zero_point) & (round(X / scale) + zero_point <= high), dY, 0)"];
}

def Onnx_NegOp : Onnx_NumberUnary<"Neg", "`Y = -X`."> {
  let summary = "elementwise negation";
  let linear = [["X"]];
  let formula = "-X";
  let slopes = ["-dY"];
  let hasFolder = 1;
}

def Onnx_AbsOp : Onnx_NumberUnary<"Abs", "`Y = |X|`. Its gradient at 0 is 0."> {
  let summary = "elementwise absolute value";
  let formula = "abs(X)";
  let slopes = ["dY * sign(X)"];
}

def Onnx_SignOp : Onnx_NumberUnary<"Sign", "-1, 0 or 1, as X is below, at or above 0. Its gradient is 0.", "input", "output"> {
  let summary = "elementwise sign";
  let formula = "sign(input)";
}

def Onnx_ReciprocalOp : Onnx_Unary<"Reciprocal", "`Y = 1 / X`."> {
  let summary = "elementwise reciprocal";
  let formula = "1 / X";
  let slopes = ["-(dY * Y * Y)"];
}

def Onnx_FloorOp : Onnx_Unary<"Floor", "The largest whole number that is not above X. Its gradient is 0."> {
  let summary = "elementwise rounding down";
  let formula = "floor(X)";
}

def Onnx_CeilOp : Onnx_Unary<"Ceil", "The smallest whole number that is not below X. Its gradient is 0."> {
  let summary = "elementwise rounding up";
  let formula = "ceil(X)";
}

def Onnx_RoundOp : Onnx_Unary<"Round", "The nearest whole number, of two the even one. Its gradient is 0."> {
  let summary = "elementwise rounding";
  let formula = "round(X)";
}

def Onnx_SqrtOp : Onnx_Unary<"Sqrt", "`Y = X ^ 0.5`; not a number where X is negative. The gradient of a root of squares is 0 where all of them are."> {
  let summary = "elementwise square root";
  let formula = "sqrt(X)";
  let hasOwnGradient = 1;
}

def Onnx_ExpOp : Onnx_Unary<"Exp", "`output = e ^ input`.", "input", "output"> {
  let summary = "elementwise exponential";
  let formula = "exp(input)";
  let slopes = ["doutput * output"];
}

def Onnx_LogOp : Onnx_Unary<"Log", "`output = ln(input)`.", "input", "output"> {
  let summary = "elementwise natural logarithm";
  let formula = "log(input)";
  let slopes = ["doutput / input"];
}

def Onnx_ErfOp : Onnx_Unary<"Erf", "`output = 2 / sqrt(pi) * integral of e ^ (-t^2) from 0 to input`.", "input", "output"> {
  let summary = "elementwise error function";
  let formula = "erf(input)";
  let slopes = ["doutput * (exp(-(input * input)) * (2 * llvm::numbers::inv_sqrtpi))"];
}

def Onnx_SinOp : Onnx_Unary<"Sin", "The sine of radians.", "input", "output"> {
  let summary = "elementwise sine";
  let formula = "sin(input)";
  let slopes = ["doutput * cos(input)"];
}

def Onnx_CosOp : Onnx_Unary<"Cos", "The cosine of radians.", "input", "output"> {
  let summary = "elementwise cosine";
  let formula = "cos(input)";
  let slopes = ["-(doutput * sin(input))"];
}

def Onnx_TanOp : Onnx_Unary<"Tan", "The tangent of radians.", "input", "output"> {
  let summary = "elementwise tangent";
  let formula = "tan(input)";
  let slopes = ["doutput * (1 + output * output)"];
}

def Onnx_AtanOp : Onnx_Unary<"Atan", "The angle, in radians, whose tangent is the operand.", "input", "output"> {
  let summary = "elementwise arc tangent";
  let formula = "atan(input)";
  let slopes = ["doutput / (1 + input * input)"];
}

def Onnx_AsinOp : Onnx_Unary<"Asin", "The angle, in radians, whose sine is the operand; not a number beyond -1 and 1.",
                             "input", "output"> {
  let summary = "elementwise arc sine";
  let formula = "asin(input)";
  let slopes = ["doutput / sqrt((1 - input) * (1 + input))"];
}

def Onnx_AcosOp : Onnx_Unary<"Acos", "The angle, in radians, whose cosine is the operand; not a number beyond -1 and 1.",
                             "input", "output"> {
  let summary = "elementwise arc cosine";
  let formula = "acos(input)";
  let slopes = ["-(doutput / sqrt((1 - input) * (1 + input)))"];
}

def Onnx_SinhOp : Onnx_Unary<"Sinh", "`output = (e ^ input - e ^ -input) / 2`.", "input", "output"> {
  let summary = "elementwise hyperbolic sine";
  let formula = "sinh(input)";
  let slopes = ["doutput * cosh(input)"];
}

def Onnx_CoshOp : Onnx_Unary<"Cosh", "`output = (e ^ input + e ^ -input) / 2`.", "input", "output"> {
  let summary = "elementwise hyperbolic cosine";
  let formula = "cosh(input)";
  let slopes = ["doutput * sinh(input)"];
}

def Onnx_AsinhOp : Onnx_Unary<"Asinh", "The number whose hyperbolic sine is the operand.", "input", "output"> {
  let summary = "elementwise inverse hyperbolic sine";
  let formula = "asinh(input)";
  let slopes = ["doutput / rootOfOneAndSquare(input)"];
}

def Onnx_AcoshOp : Onnx_Unary<"Acosh", "The number whose hyperbolic cosine is the operand; not a number below 1.",
                              "input", "output"> {
  let summary = "elementwise inverse hyperbolic cosine";
  let formula = "acosh(input)";
  let slopes = ["doutput / sqrt(input - 1) / sqrt(input + 1)"];
}

def Onnx_AtanhOp : Onnx_Unary<"Atanh", [{The number whose hyperbolic tangent is the operand; not a number beyond -1
    and 1.}], "input", "output"> {
  let summary = "elementwise inverse hyperbolic tangent";
  let formula = "atanh(input)";
  let slopes = ["doutput / ((1 - input) * (1 + input))"];
}

#endif
