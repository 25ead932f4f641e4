// Rules of operations whose attributes and types decide, of every dialect that a step has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/FoundRules.h"

using tutti::test::FoundRules;

namespace {

TEST_F(FoundRules, ReshapesOfABatchThatIsNotKnown) {
  auto reshape = [&](const std::string &from, const std::string &shape, const std::string &to) {
    return find("%x: tensor<" + from + "xf32>",
                "%r = onnx.Reshape %x {shape = array<i64: " + shape + ">} : (tensor<" + from +
                    "xf32>) -> tensor<" + to + "xf32>");
  };
  EXPECT_EQ(reshape("?x16x4x4", "0, -1", "?x256"), "f0 f1 f2 f3 -> f0 (f1 f2 f3) | 0");
  EXPECT_EQ(reshape("?x8x64", "-1, 64", "?x64"), "f0 f1 f2 -> (f0 f1) f2 | 0");
  EXPECT_EQ(reshape("?x8x64", "0, 8, 4, 16", "?x8x4x16"), "f0 f1 (f2 f3) -> f0 f1 f2 f3 | 0");
  EXPECT_EQ(reshape("?x?x64", "0, 0, 4, 16", "?x?x4x16"), "f0 f1 (f2 f3) -> f0 f1 f2 f3 | 0");
  EXPECT_EQ(reshape("?x?x64", "-1, 64", "?x64"), "f0 f1 f2 -> (f0 f1) f2 | 0");
  EXPECT_EQ(reshape("8x?x64", "-1, 64", "?x64"), "f0 f1 f2 -> (f0 f1) f2 | 0");
  EXPECT_EQ(reshape("?x6", "-1, 4", "?x4"), "f0^ f1^ -> f2^ f3^ | 0");
  EXPECT_EQ(reshape("?x96", "-1, 16, 96", "?x16x96"), "f0^ f3 -> f1^ f2^ f3 | 0");
  EXPECT_EQ(reshape("?x6", "-1, 3", "?x3"), "f0 (f1 f2) -> (f0 f1) f2 | 0");
  EXPECT_EQ(reshape("?x1x8", "0, 8", "?x8"), "f0 1 f1 -> f0 f1 | 0");
}

TEST_F(FoundRules, SlicesPassWhatTheyTakeWhole) {
  auto slice = [&](const std::string &attributes, const std::string &to) {
    return find("%x: tensor<?x8xf32>", "%r = onnx.Slice %x {axes = array<i64: 0>, " + attributes +
                                           "} : (tensor<?x8xf32>) -> tensor<" + to + "xf32>");
  };
  std::string end = "ends = array<i64: 9223372036854775807>";
  EXPECT_EQ(slice("starts = array<i64: 0>, " + end, "?x8"), "a0 a1 -> a0 a1 | 0");
  EXPECT_EQ(slice("starts = array<i64: 1>, " + end, "?x8"), "a0~ a1 -> a0 a1 | 0");
  EXPECT_EQ(slice("starts = array<i64: 0>, steps = array<i64: 2>, " + end, "?x8"),
            "a0~ a1 -> a0 a1 | 0");
}

TEST_F(FoundRules, NumbersThatAreRoundedAreNotSummands) {
  EXPECT_EQ(
      find("%x: tensor<4xf32>", "%r = onnx.Cast %x {to = f64} : (tensor<4xf32>) -> tensor<4xf64>"),
      "a0 -> a0 | 0");
  EXPECT_EQ(
      find("%x: tensor<4xf32>", "%r = onnx.Cast %x {to = f16} : (tensor<4xf32>) -> tensor<4xf16>"),
      "a0 -> a0");
  EXPECT_EQ(find("%x: tensor<4xi64>",
                 "%r = onnx.Div %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>"),
            "a0, a0 -> a0");
}

TEST_F(FoundRules, OperationsOfTrain) {
  EXPECT_EQ(find("%g: tensor<4x8xf32>, %h: tensor<4xf32>",
                 "%r = train.sum_of_squares %g, %h : tensor<4x8xf32>, tensor<4xf32>"),
            "k+ a1^, k -> ()");
  EXPECT_EQ(find("%x: tensor<?x8xf32>",
                 "%r = train.zero_batch like %x : tensor<?x8xf32> -> tensor<?x2xf32>"),
            "n b0 -> n a0 | shape 0");
  EXPECT_EQ(find("%w: tensor<4x8xf32>, %g: tensor<4x8xf32>, %lr: tensor<f32>",
                 "%r = train.sgd %w gradient %g rate %lr : tensor<4x8xf32>, tensor<f32>"),
            "a0 a1, a0 a1, () -> a0 a1");
  EXPECT_EQ(
      find(
          "%i: tensor<?xi64>, %r: tensor<?x16xf32>",
          "%t = train.scatter_rows %i, %r : tensor<?xi64>, tensor<?x16xf32> -> tensor<100x16xf32>"),
      "i+, i r0 -> v? r0 | 1");
  EXPECT_EQ(find("%x: tensor<f32>, %w: tensor<4xf32>",
                 "%g = train.gradient %x wrt %w : tensor<f32> wrt tensor<4xf32>"),
            "none");
}

TEST_F(FoundRules, OperationsOfMlir) {
  EXPECT_EQ(find("%x: tensor<?x8xf32>", "%r = arith.mulf %x, %x : tensor<?x8xf32>"),
            "a0 a1, a0 a1 -> a0 a1 | 0; 1");
  EXPECT_EQ(find("%x: tensor<?x8xf32>", "%r = math.exp %x : tensor<?x8xf32>"), "a0 a1 -> a0 a1");
  EXPECT_EQ(find("", "%r = arith.constant dense<1.0> : tensor<4xf32>"), "-> a0");
  EXPECT_EQ(find("%x: tensor<?x8xf32>",
                 "%c = arith.constant 0 : index\n%r = tensor.dim %x, %c : tensor<?x8xf32>"),
            "a0+ a1, () -> () | shape 0");
  EXPECT_EQ(find("%x: f32", "%r = tensor.from_elements %x : tensor<f32>"), "() -> () | 0");
  EXPECT_EQ(find("%x: tensor<f32>", "%r = tensor.extract %x[] : tensor<f32>"), "() -> () | 0");
  EXPECT_EQ(find("%x: tensor<?x4x8xf32>", "%r = tensor.collapse_shape %x [[0, 1], [2]] : "
                                          "tensor<?x4x8xf32> into tensor<?x8xf32>"),
            "f0 f1 f2 -> (f0 f1) f2 | 0");
  EXPECT_EQ(
      find("%x: tensor<8x8xf32>",
           "%r = tensor.extract_slice %x[0, 2] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>"),
      "a0 a1~ -> a0 a1 | 0");
  EXPECT_EQ(find("%x: f32", "%r = func.call @g(%x) : (f32) -> f32"), "none");
}

TEST_F(FoundRules, LoopNests) {
  EXPECT_EQ(find("%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>",
                 "%r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : "
                 "tensor<4x2xf32>) -> tensor<4x2xf32>"),
            "d0 d2+, d2 d1, d0 d1 -> d0 d1 | 0 2; 1 2");
  const char *generic = R"(
      %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
      ^bb0(%x: f32, %sum: f32):
        %next = KIND %x, %sum : f32
        linalg.yield %next : f32
      } -> tensor<4xf32>)";
  auto reduce = [&](const std::string &kind) {
    std::string text = generic;
    text.replace(text.find("KIND"), 4, kind);
    return find("%a: tensor<4x8xf32>, %c: tensor<4xf32>", text);
  };
  EXPECT_EQ(reduce("arith.addf"), "d0 d1+, d0 -> d0 | 0 1");
  EXPECT_EQ(reduce("arith.maximumf"), "d0 d1>, d0 -> d0");
  EXPECT_EQ(reduce("arith.subf"), "d0 d1^, d0 -> d0 | 0 1");
}

} // namespace
