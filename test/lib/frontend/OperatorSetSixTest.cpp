// Operator set 6: operands that attributes put along dimensions, slopes of channels, `is_test`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

struct OperatorSetSixTest : ImportFixture {
  /// An error has no such text either.
  static auto isProgramWithout(const char *text) {
    return testing::AllOf(HasSubstr("func.func"), Not(HasSubstr(text)));
  }
  /// Imports a graph with the input x and the constants `constants`.
  std::string import(const std::string &nodes, int opset = 6,
                     const std::string &type = "float[N,4]", const std::string &constants = "") {
    errors.clear();
    return importText(parseGraph(
        "g (" + type + " x) => (float[A,B] y) <" + constants + "> {" + nodes + "}", opset));
  }
};

TEST_F(OperatorSetSixTest, OperandsThatAttributesPutAlongDimensions) {
  const char *images = "float[N,3,4,5]", *channels = "float[3] c = {1,2,3}";
  const char *apart = "(tensor<3xf32>) -> tensor<3x1x1xf32>";
  EXPECT_THAT(import("y = Add<broadcast = 1, axis = 1>(x, c)", 6, images, channels),
              HasSubstr(apart));
  EXPECT_THAT(import("y = Mul<broadcast = 1, axis = -3>(x, c)", 6, images, channels),
              HasSubstr(apart));
  EXPECT_THAT(import("y = Sub<broadcast = 1, axis = 3>(x, c)", 6, "float[N,2,4,3]", channels),
              isProgramWithout("onnx.Unsqueeze"));
  EXPECT_THAT(import("y = Div<broadcast = 1>(x, c)", 6, "float[N,2,4,3]", channels),
              isProgramWithout("onnx.Unsqueeze"));
  EXPECT_THAT(import("y = Pow<broadcast = 1, axis = 4>(x, c)", 6, images, channels),
              HasSubstr("cannot put 'tensor<3xf32>' along dimension 4 (axis) of"));
  EXPECT_THAT(import("y = PRelu(x, c)", 6, images, channels), HasSubstr(apart));
  EXPECT_THAT(import("y = PRelu(x, c)", 6, images, "float[1] c = {1}"),
              isProgramWithout("onnx.Unsqueeze"));
  EXPECT_THAT(import("y = Add<broadcast = 1, axis = 1>(x, c)", 7, images, channels),
              HasSubstr("breaks the rules of its operator"));
}

TEST_F(OperatorSetSixTest, WhatIsATestInOperatorSetSix) {
  EXPECT_THAT(import("y = Dropout<ratio = 0.25, is_test = 1>(x)", 6),
              HasSubstr("onnx.Constant dense<0.000000e+00> : tensor<f32>"));
  EXPECT_THAT(import("y = Dropout<ratio = 0.25>(x)", 6),
              HasSubstr("onnx.Constant dense<2.500000e-01> : tensor<f32>"));
  const char *four = "float[4] c = {1,2,3,4}";
  EXPECT_THAT(import("y = BatchNormalization<is_test = 1>(x, c, c, c, c)", 6, "float[N,4]", four),
              isProgramWithout("training_mode = 1"));
  EXPECT_THAT(import("y = BatchNormalization(x, c, c, c, c)", 6, "float[N,4]", four),
              HasSubstr("training_mode = 1"));
  EXPECT_THAT(import("y, m, v, s, t = BatchNormalization<is_test = 1>(x, c, c, c, c)", 6,
                     "float[N,4]", four),
              HasSubstr("has outputs of training and is_test = 1"));
}

} // namespace
