// Ifs of which only a run knows which branch is taken, and attributes whose names are misspelt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

struct BranchesTest : ImportFixture {
  /// A program of `x`, a bool `c` and integers `n` whose y is what one of two branches gives.
  std::string branches(const std::string &yes, const std::string &no,
                       const std::string &condition = "bool c", const std::string &before = "") {
    errors.clear();
    return importText(parseGraph("g (float[N,4] x, " + condition +
                                 ", int64[4] n) => (float[A,B] y) {" + before +
                                 "y = If(c) <then_branch = t () => (float[A,B] a) {" + yes +
                                 "}, else_branch = e () => (float[A,B] b) {" + no + "}>}"));
  }
};

TEST_F(BranchesTest, BothAreComputedOfWhatTheyMaySee) {
  std::string text = branches("a = Log(x)", "b = Neg(x)");
  EXPECT_THAT(text, HasSubstr("onnx.Where %arg1, %arg0, %"));
  EXPECT_THAT(text, HasSubstr("onnx.Log"));
  EXPECT_THAT(text, HasSubstr("onnx.Neg"));
  EXPECT_THAT(branches("a = Log(x)", "b = Neg(x)", "bool[1] c"), HasSubstr("onnx.Reshape %arg1"));
}

TEST_F(BranchesTest, OneIsComputedIfItIsKnown) {
  std::string text = importText(parseGraph(
      "g (float[N,4] x) => (float[A,B] y) <bool c = {1}> {y = If(c) <then_branch = t () => "
      "(float[A,B] a) {a = Log(x)}, else_branch = e () => (float[A,B] b) {b = Neg(x)}>}"));
  EXPECT_THAT(text, testing::AllOf(HasSubstr("onnx.Log"), Not(HasSubstr("onnx.Neg"))));
}

TEST_F(BranchesTest, WhatIsRefused) {
  EXPECT_THAT(branches("a = Log(x)", "b = Transpose(x)"),
              HasSubstr("its branches give other sizes or types for 'y'"));
  EXPECT_THAT(branches("a = Log(x)", "b = Cast<to = 11>(x)"), HasSubstr("sizes or types for 'y'"));
  EXPECT_THAT(branches("a = Log(x)", "b = Neg(x)", "bool[4] c"),
              HasSubstr("it is not known to be one bool; export the branch that training takes"));
  EXPECT_THAT(branches("q = Div(n, n)  f = Cast<to = 1>(q)  a = Mul(x, f)", "b = Neg(x)"),
              HasSubstr("divides integers by what may be 0 where it is not taken"));
}

struct MisspeltTest : ImportFixture {
  std::string import(const std::string &attributes) {
    errors.clear();
    importText(parseGraph("g (float[N,4] x) => (float[A,B] y) <float[4] s = {1, 2, 3, 4}> "
                          "{ h = LayerNormalization<" +
                              attributes + ">(x, s)  y = Relu(h) }",
                          13));
    return firstError();
  }
};

TEST_F(MisspeltTest, ANameIsCorrectedIfThatChangesNothing) {
  EXPECT_THAT(import("epsion = 1e-5"), HasSubstr("'epsion' is none of its attributes; it is read "
                                                 "as 'epsilon', which has this value"));
  EXPECT_THAT(import("epsion = 1e-6"), HasSubstr("'epsion' is none of its attributes, which are"));
  EXPECT_THAT(import("epsion = 1e-5, epsilon = 1e-6"),
              HasSubstr("'epsion' is none of its attributes, which are"));
  EXPECT_THAT(import("eps = 1e-5"), HasSubstr("'eps' is none of its attributes, which are"));
}

} // namespace
