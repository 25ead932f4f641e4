// Sizes that exporters compute with nodes, evaluated at import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

struct ShapeArithmeticTest : ImportFixture {
  /// Imports a graph that reshapes x of 2 x N x 3 x 4 to the shape `s` that `nodes` compute.
  std::string reshape(const std::string &nodes, const std::string &constants = "",
                      const std::string &type = "float[2,N,3,4]") {
    return importText(parseGraph("g (" + type + " x) => (float[A,B] y) <" + constants + "> {\n" +
                                 nodes + "\n y = Reshape(x, s)\n}"));
  }

  static std::string shape(const std::string &sizes) {
    return "{shape = array<i64: " + sizes + ">}";
  }
};

TEST_F(ShapeArithmeticTest, FlattensAfterTheBatch) {
  // What an exporter makes of x.view(x.size(0), -1).
  std::string text =
      reshape("t = Shape(x)\n b = Gather(t, zero)\n u = Unsqueeze(b, axis)\n s = "
              "Concat<axis = 0>(u, rest)",
              "int64 zero = {0}, int64[1] axis = {0}, int64[1] rest = {-1}", "float[N,3,4]");
  EXPECT_THAT(text, HasSubstr(shape("-1, 12")));
  EXPECT_THAT(text, HasSubstr("-> tensor<?x12xf32>"));
}

TEST_F(ShapeArithmeticTest, FlattensWhatIsAsLongAsAnInput) {
  // The batch of the input, of another one, and of what was computed from it in several steps.
  auto flatten = [&](const std::string &of, const std::string &data) {
    return importText(parseGraph("g (float[N,3,4] x, float[N,5] z) => (float[A,B] y)"
                                 "<int64 zero = {0}, int64[1] axis = {0}, int64[1] rest = {-1}, "
                                 "float[4,2] w = {0,0,0,0,0,0,0,0}> {\n"
                                 " p = MatMul(x, w)\n r = Relu(p)\n v = Transpose<perm = [0, 2, "
                                 "1]>(r)\n c = Concat<axis = 0>(v, v)\n"
                                 " t = Shape(" +
                                 of +
                                 ")\n b = Gather(t, zero)\n u = Unsqueeze(b, axis)\n"
                                 " s = Concat<axis = 0>(u, rest)\n y = Reshape(" +
                                 data + ", s)\n}"));
  };
  for (const char *of : {"x", "z", "r"})
    EXPECT_THAT(flatten(of, "v"),
                HasSubstr(shape("-1, 6") + " : (tensor<?x2x3xf32>) -> tensor<?x6xf32>"))
        << of;
  EXPECT_THAT(flatten("x", "c"), HasSubstr(shape("-1, 12"))) << "half as long as what is reshaped";
  EXPECT_THAT(flatten("c", "c"), HasSubstr(shape("-1, 6")));
}

TEST_F(ShapeArithmeticTest, PadsAreReversedByPairs) {
  // What an exporter makes of F.pad(x, (1, 2, 3, 4)) where it folds no constants.
  std::string text = importText(parseGraph(
      "g (float[N,3,4] x) => (float[A,B,C] y) <int64[4] given = {1, 2, 3, 4}, int64[1] two = {2}, "
      "int64[2] pairs = {-1, 2},"
      " int64[1] last = {-1}, int64[1] first = {-9223372036854775807}, int64[1] axis = {0}, "
      "int64[1] all = {-1}> {\n"
      " zeros = ConstantOfShape<value = int64[1] {0}>(two)\n g = Concat<axis = 0>(given, zeros)\n"
      " rows = Reshape(g, pairs)\n back = Slice(rows, last, first, axis, last)\n"
      " columns = Transpose<perm = [1, 0]>(back)\n flat = Reshape(columns, all)\n pads = Cast<to = "
      "7>(flat)\n"
      " y = Pad(x, pads)\n}"));
  EXPECT_THAT(text, HasSubstr("pads = array<i64: 0, 3, 1, 0, 4, 2>"));
}

TEST_F(ShapeArithmeticTest, PartsOfSizes) {
  // As x.repeat_interleave(4, 1) is exported: a count for each row, which is taken apart again.
  EXPECT_THAT(reshape("counts = Expand(four, three)\n a, b, c = Split<axis = 0>(counts, ones)\n"
                      " s = Concat<axis = 0>(rest, b, c)",
                      "int64 four = {4}, int64[1] three = {3}, int64[3] ones = {1, 1, 1}, int64[1] "
                      "rest = {-1}"),
              HasSubstr(shape("-1, 4, 4")));
  EXPECT_THAT(
      reshape("t = Shape(x)\n a, b = Split<axis = 0>(t, two)\n s = Concat<axis = 0>(rest, b)",
              "int64[2] two = {2, 2}, int64[1] rest = {-1}"),
      HasSubstr(shape("-1, 3, 4")));
  // Parts that are not the whole are no sizes.
  EXPECT_THAT(
      reshape("t = Shape(x)\n a, b = Split<axis = 0>(t, two)\n s = Concat<axis = 0>(rest, b)",
              "int64[2] two = {2, 1}, int64[1] rest = {-1}"),
      HasSubstr("cannot cut dimension 0 of 'tensor<4xi64>' into parts of [2, 1]"));
}

TEST_F(ShapeArithmeticTest, MatricesAreValuesForOthers) {
  std::string text = importText(parseGraph(
      "g (float[N,2] x) => (float[N,2] y) <int64[4] given = {1, 2, 3, 4}, int64[2] pairs = {2, 2}> "
      "{\n"
      " rows = Reshape(given, pairs)\n flat = Cast<to = 1>(rows)\n y = MatMul(x, flat)\n}"));
  EXPECT_THAT(text, HasSubstr("dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>"));
}

TEST_F(ShapeArithmeticTest, WhatASizeLeavesIsANumber) {
  EXPECT_THAT(reshape("t = Shape(x)\n b = Gather(t, which)\n s = Concat<axis = 0>(b, rest)",
                      "int64[1] which = {1}, int64[1] rest = {-1}", "float[2,N,3]"),
              HasSubstr(shape("-1, 6")));
  EXPECT_THAT(reshape("t = Shape(x)\n b = Gather(t, which)\n c = Mul(b, b)\n"
                      " s = Concat<axis = 0>(c, rest)",
                      "int64[1] which = {1}, int64[1] rest = {-1}", "float[2,N,3]"),
              HasSubstr("depends on 2 sizes that vary; one can be inferred; --size NAME=SIZE"))
      << "a square does not divide it";
}

TEST_F(ShapeArithmeticTest, AVaryingSizeIsInferred) {
  EXPECT_THAT(reshape("t = Shape(x)\n s = Gather(t, which)", "int64[4] which = {1, 0, 2, 3}"),
              HasSubstr(shape("-1, 2, 3, 4")));
}

TEST_F(ShapeArithmeticTest, IndicesCountFromTheEndToo) {
  EXPECT_THAT(reshape("t = Shape(x)\n p = Gather(t, which)\n s = Concat<axis = 0>(p, rest)",
                      "int64[2] which = {-1, -2}, int64[1] rest = {-1}"),
              HasSubstr(shape("4, 3, -1")));
}

TEST_F(ShapeArithmeticTest, SlicesAreClamped) {
  EXPECT_THAT(
      reshape("t = Shape(x)\n p = Slice(t, from, to)\n s = Concat<axis = 0>(rest, p)",
              "int64[1] from = {-2}, int64[1] to = {9223372036854775807}, int64[1] rest = {-1}"),
      HasSubstr(shape("-1, 3, 4")));
}

TEST_F(ShapeArithmeticTest, AStartAndAnEndOfShape) {
  EXPECT_THAT(
      reshape("p = Shape<start = 2>(x)\n s = Concat<axis = 0>(rest, p)", "int64[1] rest = {-1}"),
      HasSubstr(shape("-1, 3, 4")));
  errors.clear();
  EXPECT_THAT(reshape("p = Shape<start = -1, end = 100>(x)\n s = Concat<axis = 0>(rest, p)",
                      "int64[1] rest = {-1}"),
              HasSubstr(shape("-1, 4")));
}

TEST_F(ShapeArithmeticTest, Computes) {
  EXPECT_THAT(
      reshape("p = Shape<start = 2>(x)\n m = Mul(p, two)\n d = Div(m, four)\n a = Add(d, one)\n"
              " b = Sub(a, one)\n s = Concat<axis = 0>(rest, b, two)",
              "int64[1] two = {2}, int64[1] four = {4}, int64[1] one = {1}, int64[1] rest = {-1}"),
      HasSubstr(shape("-1, 1, 2, 2")));
}

TEST_F(ShapeArithmeticTest, WhatIsMadeOfAVaryingSizeVaries) {
  EXPECT_THAT(
      reshape(
          "p = Shape(x)\n n = Gather(p, second)\n m = Mul(n, two)\n s = Concat<axis = 0>(m, rest)",
          "int64[1] second = {1}, int64[1] two = {2}, int64[1] rest = {12}"),
      HasSubstr(shape("-1, 12")));
}

TEST_F(ShapeArithmeticTest, TwoVaryingSizesCannotBeInferred) {
  EXPECT_THAT(reshape("p = Shape(x)\n s = Gather(p, which)", "int64[2] which = {1, 1}"),
              HasSubstr("depends on 2 sizes that vary; one can be inferred"));
}

TEST_F(ShapeArithmeticTest, AVaryingSizeBesideAnInferredOne) {
  EXPECT_THAT(reshape("p = Shape(x)\n n = Gather(p, which)\n s = Concat<axis = 0>(n, rest)",
                      "int64[1] which = {1}, int64[1] rest = {-1}"),
              HasSubstr(shape("-1, 24")));
}

TEST_F(ShapeArithmeticTest, OverflowIsNoSize) {
  EXPECT_THAT(reshape("p = Shape<start = 2>(x)\n s = Mul(p, huge)",
                      "int64[1] huge = {9223372036854775807}"),
              HasSubstr("must be a constant integer vector"));
}

TEST_F(ShapeArithmeticTest, DivisionByZeroIsNoSize) {
  EXPECT_THAT(reshape("p = Shape<start = 2>(x)\n s = Div(p, zero)", "int64[1] zero = {0}"),
              HasSubstr("must be a constant integer vector"));
  errors.clear();
  EXPECT_THAT(reshape("s = Div(least, minus)",
                      "int64[1] least = {-9223372036854775808}, int64[1] minus = {-1}"),
              HasSubstr("must be a constant integer vector"));
}

TEST_F(ShapeArithmeticTest, AnIndexOutOfRangeIsNoSize) {
  EXPECT_THAT(reshape("p = Shape(x)\n s = Gather(p, which)", "int64[1] which = {4}"),
              HasSubstr("must be a constant integer vector"));
}

TEST_F(ShapeArithmeticTest, LongVectorsAreData) {
  std::string many = "1";
  for (int i = 1; i < 65; ++i)
    many += ", 1";
  EXPECT_THAT(reshape("s = Identity(many)", "int64[65] many = {" + many + "}"),
              HasSubstr("must be a constant integer vector"));
}

TEST_F(ShapeArithmeticTest, ASizeIsNotNegative) {
  // What an exporter makes of x.expand(-1, ...): -1 is compared with, and taken out.
  EXPECT_THAT(reshape("p = Shape(x)\n ones = ConstantOfShape<value = int64[1] {1}>(four)\n"
                      " less = Mul(ones, minus)\n keep = Equal(p, less)\n"
                      " s = Where(keep, ones, p)",
                      "int64[1] four = {4}, int64 minus = {-1}", "float[2,N,3,4]"),
              HasSubstr(shape("2, -1, 3, 4")));
}

TEST_F(ShapeArithmeticTest, WhetherASizeIsANumberIsNotKnown) {
  EXPECT_THAT(reshape("p = Shape(x)\n keep = Equal(p, three)\n s = Where(keep, three, p)",
                      "int64[1] three = {3}"),
              HasSubstr("must be a constant integer vector"));
}

TEST_F(ShapeArithmeticTest, SizeAndProduct) {
  EXPECT_THAT(reshape("n = Size(x)\n s = Unsqueeze(n, axis)", "int64[1] axis = {0}"),
              HasSubstr(shape("-1")));
  errors.clear();
  EXPECT_THAT(reshape("p = Shape<start = 2>(x)\n b = ReduceProd<keepdims = 1>(p)\n"
                      " s = Concat<axis = 0>(rest, b)",
                      "int64[1] rest = {-1}"),
              HasSubstr(shape("-1, 12")));
}

TEST_F(ShapeArithmeticTest, SizesThatVaryAreMoreThanNegativeNumbers) {
  std::string constants = "int64 minus = {-1}, int64[4] ones = {1, 1, 1, 1}";
  for (const char *nodes :
       {"keep = GreaterOrEqual(p, minus)", "keep = LessOrEqual(minus, p)",
        "less = LessOrEqual(p, minus)\n keep = Not(less)", "keep = Less(minus, p)"}) {
    errors.clear();
    EXPECT_THAT(
        reshape("p = Shape(x)\n " + std::string(nodes) + "\n s = Where(keep, p, ones)", constants),
        HasSubstr(shape("2, -1, 3, 4")))
        << nodes;
  }
}

TEST_F(ShapeArithmeticTest, SizesHaveTheirOwnTypes) {
  std::string constants = "int64[1] rest = {-1}, int32[1] big = {1073741824}";
  EXPECT_THAT(reshape("p = Shape<start = 2>(x)\n c = Cast<to = 6>(p)\n d = Cast<to = 7>(c)\n"
                      " s = Concat<axis = 0>(rest, d)",
                      constants),
              HasSubstr(shape("-1, 3, 4")));
  errors.clear();
  EXPECT_THAT(reshape("p = Shape<start = 2>(x)\n c = Cast<to = 6>(p)\n m = Mul(c, big)\n"
                      " s = Cast<to = 7>(m)",
                      constants),
              HasSubstr("must be a constant integer vector"))
      << "the product is no i32";
}

TEST_F(ShapeArithmeticTest, RangesAndNegations) {
  EXPECT_THAT(reshape("r = Range(three, five, one)\n n = Neg(one)\n u = Unsqueeze(n, axis)\n"
                      " s = Concat<axis = 0>(u, r)",
                      "int64 three = {3}, int64 five = {5}, int64 one = {1}, int64[1] axis = {0}"),
              HasSubstr(shape("-1, 3, 4")));
}

TEST_F(ShapeArithmeticTest, SizesThatAreScaledAsFloats) {
  std::string constants = "int64 one = {1}, int64[1] axis = {0}, int64[1] rest = {-1}";
  std::string numbers = "half = Constant<value_float = 0.5>()  three = Constant<value_float = "
                        "3.0>()  odd = Constant<value_float = 0.7>()  ";
  auto scaled = [&](const std::string &nodes, const std::string &type) {
    return reshape(numbers + "p = Shape(x)  g = Gather(p, one)  f = Cast<to = 1>(g)  " + nodes +
                       "  n = Cast<to = 7>(r)  u = Unsqueeze(n, axis)"
                       "  s = Concat<axis = 0>(rest, u)",
                   constants, type);
  };
  // Of a size that is known, as f32 rounds.
  EXPECT_THAT(scaled("m = Mul(f, half)  r = Floor(m)", "float[N,7]"), HasSubstr(shape("-1, 3")));
  EXPECT_THAT(scaled("m = Mul(f, half)  r = Ceil(m)", "float[N,7]"), HasSubstr(shape("-1, 4")));
  EXPECT_THAT(scaled("r = Mul(f, odd)", "float[N,10]"), HasSubstr(shape("-1, 7")))
      << "in f64 it would be less";
  EXPECT_THAT(scaled("d = Div(f, three)  r = Sqrt(d)", "float[N,27]"), HasSubstr(shape("-1, 3")));
  // Of one that varies, as a fraction of it.
  EXPECT_THAT(scaled("d = Mul(f, three)  r = Div(d, three)", "float[N,T]"),
              HasSubstr("array<i64: 0, 0>"));
  EXPECT_THAT(scaled("r = Mul(f, odd)", "float[N,T]"), HasSubstr("be computed from sizes"))
      << "f32 is not exact there";
}

TEST_F(ShapeArithmeticTest, RangesOfFloats) {
  auto range = [&](const std::string &type) {
    return importText(parseGraph("g (" + type +
                                 " x) => (float[A] y) <int64 at = {1}, float zero = {0}, float two "
                                 "= {2}, int64 none = {0}> { p = Shape(x)  g = Gather(p, at)"
                                 "  l = Cast<to = 1>(g)  k = Cast<to = 1>(none)"
                                 "  y = Range(k, l, two) }"));
  };
  EXPECT_THAT(range("float[N,5]"), HasSubstr("dense<[0.000000e+00, 2.000000e+00, 4.000000e+00]>"));
  std::string varying = range("float[N,T]");
  EXPECT_THAT(varying, HasSubstr("onnx.CumSum"));
  EXPECT_THAT(varying, HasSubstr("-> tensor<?xf32>"));
}

TEST_F(ShapeArithmeticTest, AnOriginOutlivesAChoice) {
  EXPECT_THAT(
      importText(parseGraph(
          "g (float[N,4] x) => (float[A,B] y) <int64[2] rest = {-1, -1}, int64 minus = {-1}, "
          "float[1,4] c = {1, 2, 3, 4}> {\n"
          " p = Shape(x)\n told = Equal(rest, minus)\n s = Where(told, p, rest)\n"
          " e = Expand(c, s)\n y = Add(e, x)\n}")),
      HasSubstr("like %arg1 {shape = array<i64: -1, 4>}"));
}

} // namespace
