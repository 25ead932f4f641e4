// Sequences of tensors whose length is known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;

namespace {

struct SequencesTest : ImportFixture {
  /// The nodes as a program of `x`, 4 by 6; a vector `s` and numbers `i`, `j` are constants.
  std::string import(const std::string &nodes, const std::string &shape = "N,4,6") {
    errors.clear();
    return importText(
        parseGraph("g (float[" + shape +
                   "] x, int64 v) => (float y) <int64[2] s = {2, 4}, int64 z = {0}, int64 i = {1}, "
                   "int64 j = {-2}, int64 n = {4}> {" +
                   nodes + "}"));
  }
};

TEST_F(SequencesTest, PartsOfGivenSizes) {
  std::string text = import("q = SplitToSequence<axis = 2>(x, s)  y = SequenceAt(q, i)");
  EXPECT_THAT(text, HasSubstr("onnx.Split %arg0 {axis = 2 : i64, split = array<i64: 2, 4>}"));
  EXPECT_THAT(text, HasSubstr("return %0#1"));
  EXPECT_THAT(import("q = SplitToSequence<axis = -1>(x, n)  y = SequenceAt(q, j)"),
              HasSubstr("split = array<i64: 4, 2>"))
      << "the last one is smaller";
}

TEST_F(SequencesTest, RowsWithAndWithoutTheirDimension) {
  EXPECT_THAT(import("q = SplitToSequence<axis = 1>(x)  y = SequenceAt(q, i)"),
              HasSubstr("return %0#1 : tensor<?x1x6xf32>"));
  EXPECT_THAT(import("q = SplitToSequence<axis = 1, keepdims = 0>(x)  y = SequenceAt(q, j)"),
              HasSubstr(": tensor<?x6xf32>"));
}

TEST_F(SequencesTest, JoinedAndStacked) {
  EXPECT_THAT(import("q = SequenceConstruct(x, x)  y = ConcatFromSequence<axis = 1>(q)"),
              HasSubstr("onnx.Concat %arg0, %arg0 {axis = 1 : i64}"));
  EXPECT_THAT(
      import("q = SequenceConstruct(x, x)  y = ConcatFromSequence<axis = 1, new_axis = 1>(q)"),
      HasSubstr("tensor<?x2x4x6xf32>"));
  EXPECT_THAT(import("q = SplitToSequence<axis = 1>(x)  k = SequenceLength(q)  c = Cast<to = 1>(k) "
                     " y = Mul(x, c)"),
              HasSubstr("dense<4> : tensor<i64>"));
}

TEST_F(SequencesTest, Grown) {
  std::string text = import("q = SequenceEmpty()  r = SequenceInsert(q, x)  h = Neg(x)  o = "
                            "SequenceInsert(r, h, z)  y = ConcatFromSequence<axis = 1>(o)");
  EXPECT_THAT(text, HasSubstr("onnx.Concat %0, %arg0 {axis = 1 : i64}"));
  EXPECT_THAT(import("q = SequenceConstruct(x)  r = SequenceInsert(q, x, v)  y = SequenceAt(r, i)"),
              HasSubstr("its place 'v' is not known before the program runs"));
  EXPECT_THAT(import("q = SequenceConstruct(x)  r = SequenceInsert(q, x, n)  y = SequenceAt(r, i)"),
              HasSubstr("place 4 in a sequence of 1 tensors"));
}

TEST_F(SequencesTest, WhatIsRefused) {
  EXPECT_THAT(import("q = SplitToSequence(x)  y = SequenceAt(q, i)"),
              HasSubstr("how many parts there are varies, as the dimension does that it splits"));
  EXPECT_THAT(import("q = SplitToSequence<axis = 3>(x)  y = SequenceAt(q, i)"),
              HasSubstr("axis must be in [-3, 3)"));
  EXPECT_THAT(import("q = SplitToSequence<axis = 2>(x, v)  y = SequenceAt(q, i)"),
              HasSubstr("its sizes 'v' are not known before the program runs"));
  EXPECT_THAT(import("q = SequenceConstruct(x)  y = SequenceAt(q, v)"),
              HasSubstr("its place 'v' is not known before the program runs"));
  EXPECT_THAT(import("q = SequenceConstruct(x)  y = SequenceAt(q, i)"),
              HasSubstr("place 1 of a sequence of 1 tensors"));
  EXPECT_THAT(import("y = SequenceAt(x, i)"),
              HasSubstr("its sequence 'x' is made by no SplitToSequence or SequenceConstruct"));
  EXPECT_THAT(
      import("q = SequenceConstruct(x)  y = Relu(q)"),
      HasSubstr(
          "only SequenceAt, SequenceLength, SequenceInsert and ConcatFromSequence of the same"));
  EXPECT_THAT(import("q = SplitToSequence<axis = 1>(x)  y = SequenceAt(q, i)", "N,100000"),
              HasSubstr("at most 4096 parts are supported"));
}

TEST_F(SequencesTest, OperatorsThatAreNotSupportedSayWhatToDo) {
  EXPECT_THAT(import("r = SequenceErase(x)  y = SequenceAt(r, z)"),
              HasSubstr("operator 'SequenceErase' of domain 'ai.onnx' is not supported; a sequence "
                        "of tensors must be made by SplitToSequence"));
  EXPECT_THAT(import("h = org.pytorch.aten.ATen(x)  y = Relu(h)"),
              HasSubstr("operator 'ATen' of domain 'org.pytorch.aten' is not supported; the "
                        "exporter has no form of this function of PyTorch"));
  EXPECT_THAT(import("h = ai.onnx.ml.Normalizer(x)  y = Relu(h)"),
              HasSubstr("is not supported; end the graph at the scores"));
  EXPECT_THAT(import("h = my.own.Swirl(x)  y = Relu(h)"),
              HasSubstr("operator 'Swirl' of domain 'my.own' is not supported; express it by "
                        "operators that are (docs/frontend.md)"));
}

} // namespace
