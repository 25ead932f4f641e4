// The table of elementwise operators: comparisons, logic, choice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_LOGIC_TD
#define TUTTI_ONNX_LOGIC_TD

include "dialects/onnx/elementwise/Elementwise.td"

def Onnx_EqualOp : Onnx_Relation<"Equal", "Whether A and B are equal; what is no number equals nothing.", Onnx_Tensor, "i64"> {
  let summary = "elementwise equality";
  let formula = "A == B";
}

def Onnx_LessOp : Onnx_Relation<"Less", "Whether `A < B`.", Onnx_NumberTensor> {
  let summary = "elementwise comparison";
  let formula = "A < B";
}

def Onnx_LessOrEqualOp : Onnx_Relation<"LessOrEqual", "Whether `A <= B`.", Onnx_NumberTensor> {
  let summary = "elementwise comparison";
  let formula = "A <= B";
}

def Onnx_GreaterOp : Onnx_Relation<"Greater", "Whether `A > B`.", Onnx_NumberTensor> {
  let summary = "elementwise comparison";
  let formula = "B < A";
}

def Onnx_GreaterOrEqualOp : Onnx_Relation<"GreaterOrEqual", "Whether `A >= B`.", Onnx_NumberTensor> {
  let summary = "elementwise comparison";
  let formula = "B <= A";
}

def Onnx_AndOp : Onnx_Relation<"And", "Whether A and B are true.", Onnx_BoolTensor, "i1", [Commutative]> {
  let summary = "elementwise conjunction";
  let formula = "A & B";
}

def Onnx_OrOp : Onnx_Relation<"Or", "Whether A or B is true.", Onnx_BoolTensor, "i1", [Commutative]> {
  let summary = "elementwise disjunction";
  let formula = "A | B";
}

def Onnx_XorOp : Onnx_Relation<"Xor", "Whether one of A and B is true.", Onnx_BoolTensor, "i1", [Commutative]> {
  let summary = "elementwise exclusive disjunction";
  let formula = "A ^ B";
}

def Onnx_NotOp : Onnx_Elementwise<"Not", (ins Onnx_BoolTensor:$X), (outs Onnx_BoolTensor:$Y)> {
  let summary = "elementwise negation of truth";
  let description =
    Onnx_Text<"Not", "Whether X is false.", "%x", "tensor<?x10xi1>", "tensor<?x10xi1>">.description;
  let formula = "!X";
}

def Onnx_IsNaNOp : Onnx_Elementwise<"IsNaN", (ins Onnx_FloatTensor:$X), (outs Onnx_BoolTensor:$Y)> {
  let summary = "whether elements are no numbers";
  let description =
    Onnx_Text<"IsNaN", "Whether X is no number.", "%x", "tensor<?x10xf32>", "tensor<?x10xi1>">.description;
  let formula = "!(X == X)";
  let isTruth = 1;
}

def Onnx_IsInfOp : Onnx_Elementwise<"IsInf", (ins Onnx_FloatTensor:$X), (outs Onnx_BoolTensor:$Y),
                                    (ins DefaultValuedAttr<I64Attr, "1">:$detect_negative,
                                         DefaultValuedAttr<I64Attr, "1">:$detect_positive)> {
  let summary = "whether elements are infinite";
  let description = Onnx_Text<"IsInf", "Whether X is infinite, of the signs that are asked for.", "%x", "tensor<?x10xf32>",
                              "tensor<?x10xi1>">.description;
  let formula = "(X == (getDetectPositive() ? HUGE_VAL : NAN)) | (X == (getDetectNegative() ? -HUGE_VAL : NAN))";
  let isTruth = 1;
}

def Onnx_WhereOp : Onnx_DifferentiableElementwise<"Where",
    (ins Onnx_BoolTensor:$condition, Onnx_Tensor:$X, Onnx_Tensor:$Y), (outs Onnx_Tensor:$output)> {
  let summary = "elementwise choice";
  let linear = [["X", "Y"]];
  let description = Onnx_Text<"Where", "X where the condition is true, else Y; broadcasting as `onnx.Add` does.", "%c, %x, %y",
                              "tensor<8x8xi1>, tensor<?x8x8xf32>, tensor<f32>", "tensor<?x8x8xf32>",
                              Onnx_Broadcasting<"X and Y">.constraints>.description;
  let firstTyped = 1;
  let formula = "select(condition, X, Y)";
  let slopes = ["", "select(condition, doutput, 0)", "select(condition, 0, doutput)"];
}

#endif
