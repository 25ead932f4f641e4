// Operators in old and odd forms: the one form that they get, or why they get none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

struct OpsetFormsTest : ImportFixture {
  /// Imports a graph with the input x and the constants `constants`.
  std::string import(const std::string &nodes, int opset = 17,
                     const std::string &type = "float[N,4]", const std::string &constants = "") {
    errors.clear();
    return importText(parseGraph(
        "g (" + type + " x) => (float[A,B] y) <" + constants + "> {" + nodes + "}", opset));
  }
};

TEST_F(OpsetFormsTest, SplitIntoEqualParts) {
  EXPECT_THAT(import("y, z = Split<axis = 1>(x)"), HasSubstr("split = array<i64: 2, 2>"));
  EXPECT_THAT(import("y, z = Split<axis = -1>(x)"), HasSubstr("split = array<i64: 2, 2>"));
  EXPECT_THAT(import("y, z, w = Split<axis = 1>(x)"),
              HasSubstr("into 3 equal parts along dimension 1"));
  EXPECT_THAT(import("y, z = Split<axis = 0>(x)"),
              HasSubstr("into 2 equal parts along dimension 0"))
      << "it varies";
  EXPECT_THAT(import("y, z = Split<axis = 5>(x)"),
              HasSubstr("axis is out of range for an input of rank 2"));
}

TEST_F(OpsetFormsTest, SplitIntoGivenParts) {
  EXPECT_THAT(
      import("y, z = Split<axis = 1>(x, parts)", 17, "float[N,4]", "int64[2] parts = {1, 3}"),
      HasSubstr("split = array<i64: 1, 3>"));
  EXPECT_THAT(import("y, z = Split<axis = 1, split = [1, 3]>(x)", 11),
              HasSubstr("split = array<i64: 1, 3>"));
}

TEST_F(OpsetFormsTest, AxesThatAreComputedFromData) {
  EXPECT_THAT(
      import("a = Cast<to = 7>(x)  b = Flatten(a)  y = Unsqueeze(x, b)"),
      HasSubstr(
          "must be a constant integer vector, because a compiled program needs axes to be known"));
}

TEST_F(OpsetFormsTest, AnUnsqueezeWithoutAxes) {
  EXPECT_THAT(import("y = Unsqueeze(x)", 11), Not(HasSubstr("func.func")));
}

TEST_F(OpsetFormsTest, DropoutInAllItsForms) {
  EXPECT_THAT(import("y = Dropout<ratio = 0.25>(x)", 7),
              HasSubstr("onnx.Constant dense<2.500000e-01> : tensor<f32>"));
  EXPECT_THAT(import("y = Dropout<seed = 7>(x, r)", 13, "float[N,4]", "float r = {0.5}"),
              HasSubstr("seed = 7"));
  EXPECT_THAT(import("y = Dropout(x)", 13), Not(HasSubstr("onnx.Constant")))
      << "the default is the operator's own";
}

TEST_F(OpsetFormsTest, BatchNormalizationTrainsByItsOutputsBefore14) {
  std::string constants = "float[4] s = {1,1,1,1}, float[4] v = {1,1,1,1}, float[4] m = {0,0,0,0}, "
                          "float[4] b = {0,0,0,0}";
  EXPECT_THAT(
      import("y, a, c, d, e = BatchNormalization(x, s, b, m, v)", 9, "float[N,4]", constants),
      HasSubstr("training_mode = 1"));
  EXPECT_THAT(import("y = BatchNormalization(x, s, b, m, v)", 9, "float[N,4]", constants),
              Not(HasSubstr("training_mode")));
  EXPECT_THAT(
      import("y = BatchNormalization<spatial = 1>(x, s, b, m, v)", 7, "float[N,4]", constants),
      Not(HasSubstr("spatial")));
  EXPECT_THAT(
      import("y = BatchNormalization<spatial = 0>(x, s, b, m, v)", 7, "float[N,4]", constants),
      HasSubstr("spatial = 0 (statistics for each element) is not supported"));
}

TEST_F(OpsetFormsTest, SoftmaxOfMatricesBefore13) {
  EXPECT_THAT(import("y = Softmax(x)", 11, "float[N,3,4]"), HasSubstr("onnx.Flatten"));
  EXPECT_THAT(import("y = Softmax<axis = -1>(x)", 11, "float[N,3,4]"),
              Not(HasSubstr("onnx.Flatten")));
  EXPECT_THAT(import("y = Softmax<axis = 3>(x)", 11, "float[N,3,4]"), HasSubstr("onnx.Flatten"));
  EXPECT_THAT(import("y = Softmax<axis = 4>(x)", 11, "float[N,3,4]"),
              HasSubstr("axis is out of range"));
  EXPECT_THAT(import("y = Softmax(x)", 11, "float[N,M,4]"),
              HasSubstr("export the model with operator set 13 or later"));
}

TEST_F(OpsetFormsTest, ConstantsHaveOneAttribute) {
  EXPECT_THAT(import("c = Constant<value_float = 2.0>()  y = Mul(x, c)"),
              HasSubstr("dense<2.000000e+00> : tensor<f32>"));
  EXPECT_THAT(import("c = Constant<value_ints = [1, -1]>()  y = Reshape(x, c)"),
              HasSubstr("shape = array<i64: 1, -1>"));
  EXPECT_THAT(import("c = Constant<value_string = \"no\">()  y = Relu(x)"), HasSubstr("func.func"))
      << "nobody needs it";
}

TEST_F(OpsetFormsTest, ConstantOfShapeIsAConstant) {
  EXPECT_THAT(import("c = ConstantOfShape(s)  y = Add(x, c)", 17, "float[N,4]", "int64[1] s = {4}"),
              HasSubstr("onnx.Constant dense<0.000000e+00> : tensor<4xf32>"));
  EXPECT_THAT(import("t = Shape(x)  c = ConstantOfShape(t)  y = Add(x, c)"),
              HasSubstr("its shape 't' must be a constant integer vector"))
      << "the batch varies";
}

TEST_F(OpsetFormsTest, CastsToTypesThatAreNone) {
  EXPECT_THAT(import("y = Cast<to = 1>(x)"), HasSubstr("onnx.Cast"));
  EXPECT_THAT(import("y = Cast<to = 8>(x)"), HasSubstr("to = STRING is not supported"));
  EXPECT_THAT(import("y = Cast<to = 99>(x)"), HasSubstr("to = data type 99 is not supported"));
}

TEST_F(OpsetFormsTest, OperatorSetsThatAreNotRead) {
  EXPECT_THAT(import("y = Relu(x)", 6), HasSubstr("versions 7 to 17 are supported"));
  EXPECT_THAT(import("y = Relu(x)", 18), HasSubstr("uses version 18"));
  for (int opset = 7; opset <= 17; ++opset)
    EXPECT_THAT(import("y = Relu(x)", opset), HasSubstr("onnx.Relu")) << opset;
}

TEST_F(OpsetFormsTest, OperatorsOfOtherDomainsKeepWhatTheySay) {
  proto::ModelProto model = parse(R"(<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
g (float[N,4] x) => (float[N,4] y) { y = com.acme.Relu<slope = 2, words = ["a", "b"]>(x) })");
  std::string text = importText(model);
  EXPECT_THAT(text, HasSubstr("onnx.custom \"com.acme\" \"Relu\""));
  EXPECT_THAT(text, HasSubstr("slope = 2 : i64"));
  EXPECT_THAT(text, HasSubstr("words = [\"a\", \"b\"]"));
}

} // namespace
