// Operators that are expressed by others: what must be known of them, and why some are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

struct ComposedFormsTest : ImportFixture {
  /// Imports a graph with the input x and the constants `constants`.
  std::string import(const std::string &nodes, int opset = 17,
                     const std::string &type = "float[N,4]", const std::string &constants = "") {
    errors.clear();
    return importText(parseGraph(
        "g (" + type + " x) => (float[A,B] y) <" + constants + "> {" + nodes + "}", opset));
  }
};

TEST_F(ComposedFormsTest, WhatATopKTakes) {
  const char *type = "float[N,4]";
  EXPECT_THAT(import("y, i = TopK(x, k)", 17, type, "int64[1] k = {3}"), HasSubstr("k = 3 : i64"));
  EXPECT_THAT(import("y, i = TopK<k = 2>(x)", 9), HasSubstr("k = 2 : i64"));
  EXPECT_THAT(import("y, i = TopK(x, k)", 17, type, "int64[1] k = {5}"),
              HasSubstr("takes 5 elements of a dimension of 4"));
  EXPECT_THAT(import("y, i = TopK(x, k)", 17, type, "int64[2] k = {1, 2}"),
              HasSubstr("needs one number K, got 2"));
  EXPECT_THAT(import("s = Shape(x)  k = Slice(s, z, o)  y, i = TopK(x, k)", 17, type,
                     "int64[1] z = {0}, int64[1] o = {1}"),
              HasSubstr("of which it is not known that there are as many"));
}

TEST_F(ComposedFormsTest, TheLargestIntegerIsTheFirstInTheirOrder) {
  EXPECT_THAT(import("y = ArgMax<axis = 1, keepdims = 0>(x)", 17, "int64[N,4]"),
              testing::AllOf(HasSubstr("k = 1 : i64"), HasSubstr("onnx.Squeeze")));
  EXPECT_THAT(import("y = ArgMin(x)", 17, "uint8[N,4]"),
              testing::AllOf(HasSubstr("onnx.Cast"), HasSubstr("largest = 0")));
  EXPECT_THAT(import("y = ArgMax<select_last_index = 1>(x)", 17, "int32[N,4]"),
              testing::AllOf(HasSubstr("onnx.Equal"), HasSubstr("select_last_index = 1")));
  EXPECT_THAT(import("y = ArgMax(x)"), HasSubstr("onnx.ArgMax"));
}

TEST_F(ComposedFormsTest, NormsOfHalvesHaveTheTypeOfTheirScale) {
  const char *scale = "float[4] s = {1, 2, 3, 4}";
  std::string text = import("h = LayerNormalization(x, s)  y = Relu(h)", 13, "float16[N,4]", scale);
  EXPECT_THAT(text, testing::ContainsRegex("onnx.Relu %[0-9]+ : .*tensor<.x4xf32>"));
  EXPECT_THAT(text, Not(HasSubstr("to = f16"))) << "nothing is rounded between";
}

TEST_F(ComposedFormsTest, SamplesAfterSteps) {
  auto type = [&](const std::string &input, const std::string &output = "float[A,B]") {
    errors.clear();
    return importText(parseGraph("g (" + input + " x) => (" + output + " y) { y = Relu(x) }"));
  };
  EXPECT_THAT(type("float[5,batch,4]"), testing::AllOf(HasSubstr("%arg0: tensor<?x5x4xf32>"),
                                                       HasSubstr("perm = array<i64: 1, 0, 2>")));
  EXPECT_THAT(type("float[time,batch_size]", "float[time,batch_size]"),
              testing::AllOf(HasSubstr("return %2"), HasSubstr("perm = array<i64: 1, 0>")))
      << "the output is turned, too";
  EXPECT_THAT(type("float[5,rows]", "float[rows,5]"), HasSubstr("onnx.Transpose"));
  EXPECT_THAT(type("float[1,sequence_length]"), Not(HasSubstr("onnx.Transpose")));
  EXPECT_THAT(type("float[batch,time]"), Not(HasSubstr("onnx.Transpose")));
  EXPECT_THAT(type("float[5,N,4]"), HasSubstr("onnx.Transpose"));
  EXPECT_THAT(type("float[1,3,N,M]"), Not(HasSubstr("onnx.Transpose")));
  EXPECT_THAT(type("float[batch,4]", "float[A,B]"), Not(HasSubstr("onnx.Transpose")));
}

TEST_F(ComposedFormsTest, WhatIsChosenByData) {
  const char *type = "float[N,4]";
  EXPECT_THAT(import("y = Compress<axis = 1>(x, c)", 17, type, "bool[4] c = {1, 0, 0, 1}"),
              HasSubstr("dense<[0, 3]>"));
  EXPECT_THAT(import("z = Cast<to = 9>(x)  c = Flatten(z)  y = Compress<axis = 1>(x, c)"),
              HasSubstr("choose with Where, instead of taking elements out"));
  EXPECT_THAT(import("y = NonZero(c)", 17, type, "float[2,2] c = {0, 1.5, -2, 0}"),
              HasSubstr("dense<[[0, 1], [1, 0]]>"));
  EXPECT_THAT(import("y = NonZero(x)"), HasSubstr("instead of listing their places"));
}

TEST_F(ComposedFormsTest, QuantizedAndBack) {
  const std::string scale = "float s = {0.5}, int8 z = {3}";
  auto quantize = [&](const std::string &back, const std::string &constants) {
    return import("q = QuantizeLinear(x, s, z)  " + back, 17, "float[N,4]", constants);
  };
  std::string program = quantize("y = DequantizeLinear(q, s, z)", scale);
  EXPECT_THAT(program, HasSubstr("onnx.FakeQuantize"));
  EXPECT_THAT(program, HasSubstr("high = 1.270000e+02 : f64, low = -1.280000e+02 : f64"));
  EXPECT_THAT(quantize("y = DequantizeLinear(q, t, z)", scale + ", float t = {0.25}"),
              Not(HasSubstr("FakeQuantize")));
  EXPECT_THAT(errors, testing::Contains(HasSubstr("no gradient passes this DequantizeLinear")));
  EXPECT_THAT(import("q, s, z = DynamicQuantizeLinear(x)  y = DequantizeLinear(q, s, z)"),
              HasSubstr("onnx.FakeQuantize"));
  EXPECT_THAT(
      quantize("y = DequantizeLinear(q, s, z)", "float[3] s = {1, 2, 3}, int8[3] z = {0, 0, 0}"),
      Not(HasSubstr("func.func")));
}

TEST_F(ComposedFormsTest, ImagesThatCannotBeLookedUp) {
  const char *images = "float[N,1,4,4]";
  EXPECT_THAT(import("y = GridSample(x, g)", 17, images, "float[1,2,3] g = {0, 0, 0, 0, 0, 0}"),
              HasSubstr("points [batch, height, width, 2]"));
  EXPECT_THAT(import("y = GridSample<mode = \"bicubic\">(x, g)", 17, "float[N,1,2,2,2]",
                     "float[1,1,1,1,3] g = {0, 0, 0}"),
              HasSubstr("which images of three dimensions have not"));
  const char *taps =
      "float[1,1,2,2] w = {1, 2, 3, 4}, float[1,8,2,2] o = {0, 0, 0, 0, 0, 0, 0, 0, 0, "
      "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}";
  EXPECT_THAT(import("y = DeformConv(x, w, o)", 19, images, taps),
              HasSubstr("has offsets, a mask or weights of other sizes"));
  EXPECT_THAT(import("y = DeformConv<offset_group = 0>(x, w, o)", 19, images, taps),
              HasSubstr("has offsets, a mask or weights of other sizes"));
  EXPECT_THAT(import("y = DeformConv(x, w, o)", 19, "float[N,1,H,3]", taps),
              HasSubstr("whose sizes but the batch are known"));
  const char *matrices = "float[N,2,3]";
  EXPECT_THAT(import("y = AffineGrid(x, s)", 20, matrices, "int64[4] s = {8, 1, 2, 2}"),
              HasSubstr("as many matrices as its size has images"));
  EXPECT_THAT(import("y = AffineGrid(x, s)", 20, matrices, "int64[5] s = {8, 1, 2, 2, 2}"),
              HasSubstr("needs matrices [batch, 2, 3] and a size"));
  EXPECT_THAT(import("y = AffineGrid(x, s)", 20, "float[4,2,3]", "int64[4] s = {4, 1, 0, 2}"),
              HasSubstr("height and width are known, and not 0"));
  EXPECT_THAT(import("y = RoiAlign<mode = \"min\">(x, r, i)", 17, images,
                     "float[1,4] r = {0, 0, 2, 2}, int64[1] i = {0}"),
              HasSubstr("has mode 'min'; avg and max are known"));
}

TEST_F(ComposedFormsTest, ResizeThatKeepsTheForm) {
  std::string image = "float[N,2,4,4]";
  EXPECT_THAT(
      import("y = Resize<keep_aspect_ratio_policy = \"not_larger\", axes = [2, 3]>(x, , , n)", 18,
             image, "int64[2] n = {2, 3}"),
      HasSubstr("-> tensor<?x2x2x2xf32>"));
  EXPECT_THAT(
      import("y = Resize<keep_aspect_ratio_policy = \"not_smaller\", axes = [2, 3]>(x, , , n)", 18,
             image, "int64[2] n = {2, 3}"),
      HasSubstr("-> tensor<?x2x3x3xf32>"));
  EXPECT_THAT(
      import("y = Resize<keep_aspect_ratio_policy = \"not_larger\">(x, , , n)", 18, image,
             "int64[4] n = {7, 2, 8, 8}"),
      HasSubstr("which dimension 0 of 'tensor<?x2x4x4xf32>' is not; name the others in axes"));
  EXPECT_THAT(import("y = Resize<keep_aspect_ratio_policy = \"fit\">(x, , , n)", 18, image,
                     "int64[4] n = {7, 2, 8, 8}"),
              HasSubstr("keep_aspect_ratio_policy = 'fit' is not supported; stretch, not_larger, "
                        "not_smaller are"));
}

TEST_F(ComposedFormsTest, AttentionWithACache) {
  const char *type = "float[N,4,6]";
  EXPECT_THAT(import("y = Attention<q_num_heads = 2, kv_num_heads = 2>(x, x, x, , x)", 23, type),
              HasSubstr("has keys of the past without values"));
  EXPECT_THAT(import("y = Attention<q_num_heads = 2, kv_num_heads = 2>(x, x, x, , x, x)", 23, type),
              HasSubstr("needs keys and values of the past, [batch, heads, entries, size]"));
  EXPECT_THAT(import("y = Attention<q_num_heads = 4, kv_num_heads = 4>(x, x, x)", 23, type),
              HasSubstr("cannot divide the last dimension"));
}

TEST_F(ComposedFormsTest, EmbeddingsThatAreLeftToPyTorch) {
  auto import = [&](const std::string &inputs) {
    errors.clear();
    return importText(
        parse("<ir_version: 8, opset_import: [\"\" : 15, \"org.pytorch.aten\" : 1]>\n"
              "g (int64[N,3] i) => (float[N,3,2] y) <float[4,2] w = {1, 2, 3, 4, 5, 6, 7, 8}, "
              "int64 none = {-1}, int64 first = {0}, int32 set = {1}> {\n"
              " off = Cast<to = 9>(first)\n on = Cast<to = 9>(set)\n"
              " y = org.pytorch.aten.ATen<operator = \"embedding\">(" +
              inputs + ")\n}"));
  };
  EXPECT_THAT(import("w, i, none, off, off"), HasSubstr("onnx.Gather"));
  EXPECT_THAT(import("w, i"), HasSubstr("onnx.Gather"));
  EXPECT_THAT(import("w, i, first, off, off"), HasSubstr("it has a row for padding"));
  EXPECT_THAT(import("w, i, none, on, off"), HasSubstr("or scales gradients by frequency"));
}

} // namespace
