// Sizes that vary, as numbers, as dimensions, and as places.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

struct VaryingSizesTest : ImportFixture {
  /// Imports `nodes` after n, the first size of x, as a scalar, and v, as a vector.
  std::string sizes(const std::string &nodes, const std::string &result = "float[A]",
                    const std::string &type = "float[N,4]") {
    errors.clear();
    return importText(
        parseGraph("g (" + type + " x) => (" + result +
                   " y) <int64 zero = {0}, int64 one = {1}, int64 two = {2}, int64 third = {3}, "
                   "int64[1] axis = {0}, "
                   "int64[1] axis1 = {1}, int64[1] four = {4}, int64[1] rest = {-1}, float[1,4] "
                   "row = {1, 2, 3, "
                   "4}, float[2] pair = {0, 1}> {\n t = Shape(x)\n n = Gather(t, zero)\n v = "
                   "Unsqueeze(n, axis)\n" +
                   nodes + "\n}"));
  }
};

TEST_F(VaryingSizesTest, AnyArithmeticIsANumber) {
  std::string product = sizes("m = Sub(n, one)\n p = Mul(n, m)\n y = Cast<to = 1>(p)", "float");
  EXPECT_THAT(product,
              AllOf(HasSubstr("tensor.dim"), HasSubstr("onnx.Mul"), HasSubstr("onnx.Cast")));
  EXPECT_THAT(sizes("h = Div(n, two)\n r = Mod(h, two)\n y = Cast<to = 1>(r)", "float"),
              AllOf(HasSubstr("onnx.Div"), HasSubstr("onnx.Mod")));
  EXPECT_THAT(sizes("y = Cast<to = 1>(t)"), HasSubstr("onnx.Concat")) << "a whole shape";
}

TEST_F(VaryingSizesTest, WhatCancelsIsKnown) {
  EXPECT_THAT(sizes("m = Add(n, two)\n d = Sub(m, n)\n u = Unsqueeze(d, axis)\n"
                    " y = ConstantOfShape(u)"),
              HasSubstr("dense<0.000000e+00> : tensor<2xf32>"));
  EXPECT_THAT(sizes("m = Mul(n, two)\n s = Add(m, one)\n d = Mod(s, two)\n u = Unsqueeze(d, axis)\n"
                    " y = ConstantOfShape(u)"),
              HasSubstr("dense<0.000000e+00> : tensor<1xf32>"));
  EXPECT_THAT(sizes("r = Relu(x)\n s = Shape(r)\n same = Equal(s, t)\n"
                    " w = Where(same, four, t)\n y = ConstantOfShape(w)"),
              HasSubstr("tensor<4x4xf32>"))
      << "of two tensors that are equally long";
}

TEST_F(VaryingSizesTest, ADimensionMayBeComputed) {
  EXPECT_THAT(sizes("m = Mul(v, two)\n y = ConstantOfShape(m)"),
              AllOf(HasSubstr("shape = array<i64: -1, 2>"), HasSubstr("onnx.Reshape")));
  EXPECT_THAT(sizes("m = Add(v, two)\n y = ConstantOfShape(m)"), HasSubstr("onnx.Concat"));
  EXPECT_THAT(sizes("m = Sub(v, two)\n y = ConstantOfShape(m)"),
              HasSubstr("starts = array<i64: 2>"));
  EXPECT_THAT(sizes("m = Div(v, two)\n y = ConstantOfShape(m)"),
              HasSubstr("steps = array<i64: 2>"));
  EXPECT_THAT(sizes("m = Mul(v, v)\n y = ConstantOfShape(m)"),
              HasSubstr("shape = array<i64: 1, -1>"));
  EXPECT_THAT(sizes("m = Mod(v, four)\n y = ConstantOfShape(m)"),
              AllOf(HasSubstr("onnx.Conv"), HasSubstr("steps = array<i64: 4>")))
      << "what the whole fours leave";
  EXPECT_THAT(sizes("m = Min(v, four)\n y = ConstantOfShape(m)"),
              HasSubstr("ends = array<i64: 4>"));
  EXPECT_THAT(sizes("m = Max(four, v)\n y = ConstantOfShape(m)"),
              AllOf(HasSubstr("onnx.Conv"), HasSubstr("ends = array<i64: 4>")))
      << "both without the smaller one";
  EXPECT_THAT(sizes("m = Mod(four, v)\n y = ConstantOfShape(m)"),
              HasSubstr("it has a dimension that is computed by Mod from sizes that vary"));
  EXPECT_THAT(sizes("m = Sub(four, v)\n y = ConstantOfShape(m)"), HasSubstr("onnx.Conv"))
      << "the program is refused where v is more than 4";
}

TEST_F(VaryingSizesTest, AProductOfSizesComesApart) {
  const char *rows = "float[N,M,4]";
  std::string flat = "m = Gather(t, one)\n w = Unsqueeze(m, axis)\n rows = Concat<axis = 0>(rest, "
                     "four)\n f = Reshape(x, rows)\n r = Relu(f)\n";
  EXPECT_THAT(
      sizes(flat + "s = Concat<axis = 0>(v, w, four)\n y = Reshape(r, s)", "float[A,C,4]", rows),
      AllOf(HasSubstr("onnx.Gather"), HasSubstr("shape = array<i64: 0, 0, 4>")));
  EXPECT_THAT(
      sizes(flat + "s = Concat<axis = 0>(w, v, four)\n y = Reshape(r, s)", "float[A,C,4]", rows),
      HasSubstr("onnx.Gather"))
      << "the factors in another order";
  EXPECT_THAT(
      sizes(flat + "s = Concat<axis = 0>(v, v, four)\n y = Reshape(r, s)", "float[A,C,4]", rows),
      HasSubstr("its input 's' depends on 2 sizes that vary"))
      << "as many elements only where both are equal";
  EXPECT_THAT(
      sizes(flat + "a = Shape(r)\n b = Gather(a, zero)\n d = Div(b, m)\n e = Unsqueeze(d, axis)\n "
                   "s = Concat<axis = 0>(e, rest, four)\n y = Reshape(x, s)",
            "float[A,C,4]", rows),
      HasSubstr("onnx.Reshape %arg0 {shape = array<i64: 0, 0, 4>}"))
      << "what is divided by one factor is the other";
}

TEST_F(VaryingSizesTest, APartOfAConstantIsNoLongerThanThat) {
  std::string part =
      "m = Gather(t, one)\n w = Unsqueeze(m, axis)\n r = Transpose<perm = [1, 0]>(row)\n ";
  EXPECT_THAT(sizes(part + "y = Slice(r, axis, w, axis)", "float[A,1]", "float[N,M]"),
              AllOf(HasSubstr("onnx.Conv"), HasSubstr("onnx.Gather")))
      << "the program is refused where m is more than 4";
  EXPECT_THAT(sizes(part + "d = Sub(four, w)\n y = ConstantOfShape(d)", "float[A]", "float[N,M]"),
              HasSubstr("onnx.Conv"));
}

TEST_F(VaryingSizesTest, CopiesOfWhatVaries) {
  EXPECT_THAT(sizes("k = Unsqueeze(one, axis)\n d = Div(v, four)\n r = Concat<axis = 0>(d, k)\n"
                    " y = Tile(x, r)",
                    "float[A,B]", "float[N,M]"),
              HasSubstr("onnx.Gather"));
  EXPECT_THAT(sizes("k = Unsqueeze(one, axis)\n r = Concat<axis = 0>(k, v)\n y = Tile(x, r)",
                    "float[A,B]", "float[N,M]"),
              HasSubstr("shape = array<i64: 0, -1>"));
}

TEST_F(VaryingSizesTest, DimensionsOfOneNameAreOfOneSize) {
  auto rows = [&](const std::string &type) {
    errors.clear();
    return importText(
        parseGraph("g (float[N,T] x, " + type +
                   " z) => (float[A,B] y) <int64 one = {1}, int64[1] axis = {0}, int64[1] "
                   "rest = {-1}> { s = Shape(x)\n t = Gather(s, one)\n u = Unsqueeze(t, axis)\n"
                   " r = Concat<axis = 0>(rest, u)\n y = Reshape(z, r) }"));
  };
  EXPECT_THAT(rows("float[N,T]"), HasSubstr("{shape = array<i64: 0, 0>}"));
  EXPECT_THAT(rows("float[N,M]"), HasSubstr("its input 'r' depends on 2 sizes that vary"));
  EXPECT_THAT(rows("float[T,M]"), HasSubstr("its input 'r' depends on 2 sizes that vary"))
      << "of samples a rank has a part";
}

TEST_F(VaryingSizesTest, ASumOfSizesIsOne) {
  std::string joined =
      "m = Gather(t, one)\n a = Gather<axis = 0>(x, zero)\n b = Gather<axis = 1>(x, zero)\n"
      " c = Concat<axis = 0>(a, b)\n s = Shape(c)\n k = Gather(s, zero)\n p = Add(n, m)\n"
      " d = Sub(k, p)\n u = Unsqueeze(d, axis)\n y = ConstantOfShape(u)";
  EXPECT_THAT(sizes(joined, "float[A]", "float[N,M]"), HasSubstr("tensor<0xf32>"));
}

TEST_F(VaryingSizesTest, ChunksAreSlicesAndLookups) {
  const char *halves = "m = Add(v, one)\n h = Div(m, two)\n k = Sub(v, h)\n s = "
                       "Concat<axis = 0>(h, k)\n a, b = Split<axis = 0>(x, s)\n"
                       " y = Concat<axis = 0>(b, a)";
  EXPECT_THAT(sizes(halves, "float[A,4]"),
              AllOf(HasSubstr("onnx.Gather %arg0"), Not(HasSubstr("onnx.Conv"))))
      << "what is left of a half is another half";
  std::string thirds =
      "p = Add(v, two)\n d = Div(p, third)\n e = Mul(d, two)\n k = Sub(v, e)\n s = "
      "Concat<axis = 0>(d, d, k)\n a, b, c = Split<axis = 0>(x, s)\n"
      " y = Concat<axis = 0>(c, b, a)";
  EXPECT_THAT(sizes(thirds, "float[A,4]"),
              AllOf(HasSubstr("steps = array<i64: 3>"), HasSubstr("onnx.Conv")));
  EXPECT_THAT(sizes("s = Concat<axis = 0>(v, v)\n y, b = Split<axis = 0>(x, s)", "float[A,4]"),
              HasSubstr("it is not known that its parts are all of dimension 0"));
  EXPECT_THAT(sizes("s = Concat<axis = 0>(v, v)\n y = Split<axis = 0>(x, s)", "float[A,4]"),
              HasSubstr("must have a size for each of 1 outputs"));
}

TEST_F(VaryingSizesTest, PartsWithoutSizes) {
  EXPECT_THAT(sizes("y, b = Split<axis = 0>(x)", "float[A,4]"),
              HasSubstr("shape = array<i64: 2, -1, 4>"));
  EXPECT_THAT(sizes("y, b = Split<axis = 0>(x)", "float[A,B]", "float[N,T]"),
              HasSubstr("whose size varies, as others after it do"));
}

TEST_F(VaryingSizesTest, SeveralDimensionsOfSeveralSizes) {
  std::string text = sizes("m = Mul(v, two)\n s = Concat<axis = 0>(v, m, four)\n"
                           " y = ConstantOfShape(s)",
                           "float[A,B,C]");
  EXPECT_THAT(text,
              AllOf(HasSubstr("shape = array<i64: -1, 1, 1>"),
                    HasSubstr("shape = array<i64: 1, -1, 4>"), HasSubstr("tensor<?x?x4xf32>")));
  EXPECT_THAT(sizes("s = Concat<axis = 0>(v, v)\n y = ConstantOfShape(s)", "float[A,B]"),
              HasSubstr("shape = array<i64: -1, -1>"));
}

TEST_F(VaryingSizesTest, RangesBetweenSizes) {
  std::string text = sizes("m = Mul(n, two)\n y = Range(n, m, one)", "int64[A]");
  EXPECT_THAT(text,
              AllOf(HasSubstr("onnx.CumSum"), HasSubstr("tensor.dim"), HasSubstr("onnx.Add")));
  EXPECT_THAT(sizes("y = Range(zero, n, one)", "int64[A]"), Not(HasSubstr("tensor.dim")));
  EXPECT_THAT(sizes("y = Range(zero, n, two)", "int64[A]"), HasSubstr("steps = array<i64: 2>"));
}

TEST_F(VaryingSizesTest, SlicesBetweenSizes) {
  std::string joined = " c = Concat<axis = 0>(x, x)\n m = Mul(v, two)\n ";
  EXPECT_THAT(sizes(joined + "y = Slice(c, v, m, axis)", "float[A,B]"),
              AllOf(HasSubstr("onnx.Gather"), HasSubstr("tensor.dim")))
      << "the second half";
  EXPECT_THAT(sizes(joined + "z = Unsqueeze(zero, axis)\n y = Slice(c, z, v, axis)", "float[A,B]"),
              AllOf(HasSubstr("onnx.Gather"), Not(HasSubstr("9223372036854775807"))))
      << "the first half is not the whole";
  EXPECT_THAT(
      sizes("e = Sub(v, two)\n z = Unsqueeze(zero, axis)\n y = Slice(x, z, e, axis)", "float[A,B]"),
      HasSubstr("ends = array<i64: -2>"));
  EXPECT_THAT(sizes("z = Unsqueeze(zero, axis)\n y = Slice(x, z, v, axis1)", "float[A,B]"),
              AllOf(HasSubstr("onnx.Conv"), HasSubstr("onnx.Gather")))
      << "the program is refused where v is more than 4";
}

TEST_F(VaryingSizesTest, PartsAreNoLargerThanTheWhole) {
  std::string half = "h = Div(v, two)\n ";
  EXPECT_THAT(
      sizes(half + "a = Slice(x, axis, h)\n b = Slice(x, h, v)\n"
                   " y = Concat<axis = 0>(b, a)"),
      AllOf(HasSubstr("steps = array<i64: 2>"), HasSubstr("onnx.Gather"), HasSubstr("onnx.Concat")))
      << "n - n / 2 is (n + 1) / 2";
  EXPECT_THAT(sizes("u = Add(v, axis1)\n h = Div(u, two)\n m = Mul(h, two)\n y = Slice(x, h, m)"),
              AllOf(HasSubstr("steps = array<i64: 2>"), HasSubstr("onnx.Gather")))
      << "what ends after the end ends there";
  EXPECT_THAT(sizes("three = Add(two, one)\n h = Div(v, three)\n y = Slice(x, h, v)"),
              HasSubstr("onnx.Gather"));
  EXPECT_THAT(sizes(half + "m = Min(h, v)\n y = ConstantOfShape(m)"), HasSubstr("steps"));
  EXPECT_THAT(sizes("m = Max(v, axis)\n y = ConstantOfShape(m)"),
              AllOf(HasSubstr("onnx.Expand"), Not(HasSubstr("onnx.Max"))));
  EXPECT_THAT(sizes("e = Equal(n, zero)\n o = Not(e)\n c = Cast<to = 7>(o)\n"
                    " u = Unsqueeze(c, axis)\n y = ConstantOfShape(u)"),
              HasSubstr("dense<0.000000e+00> : tensor<1xf32>"))
      << "no dimension is 0";
  EXPECT_THAT(sizes("t3 = Mul(v, two)\n y = Slice(x, axis, t3)"), Not(HasSubstr("onnx.Gather")));
}

TEST_F(VaryingSizesTest, DepthsCountsAndMargins) {
  std::string half = "h = Div(v, two)\n ";
  EXPECT_THAT(sizes("y, p = TopK<axis = 0>(x, v)"),
              AllOf(HasSubstr("k = -1"), Not(HasSubstr("onnx.Gather"))));
  EXPECT_THAT(sizes(half + "y, p = TopK<axis = 0>(x, h)"),
              AllOf(HasSubstr("k = -1"), HasSubstr("onnx.Gather")));
  EXPECT_THAT(sizes(half + "y, p = TopK(x, h)"), HasSubstr("not known that there are as many"));
  EXPECT_THAT(sizes("i = Cast<to = 7>(x)\n y = OneHot(i, n, pair)", "float[N,4,A]"),
              AllOf(HasSubstr("onnx.CumSum"), HasSubstr("tensor.dim"), HasSubstr("onnx.Equal")));
  EXPECT_THAT(sizes("p = Concat<axis = 0>(axis, axis, v, axis1)\n y = Pad(x, p)"),
              AllOf(HasSubstr("pads = array<i64: 0, 0, 0, 1>"), HasSubstr("onnx.Concat"),
                    HasSubstr("shape = array<i64: -1, 5>")));
  EXPECT_THAT(sizes("m = Sub(axis, v)\n p = Concat<axis = 0>(axis, axis, m, axis)\n y = Pad(x, p)"),
              HasSubstr("its pads varies, and may be negative"));
  EXPECT_THAT(sizes("p = Concat<axis = 0>(axis, axis, v, axis)\n y = Pad<mode = \"edge\">(x, p)"),
              HasSubstr("supported in mode 'constant' only"));
}

TEST_F(VaryingSizesTest, AReshapeThatNeitherCopiesNorInfers) {
  EXPECT_THAT(sizes("k = Gather(t, one)\n w = Unsqueeze(k, axis)\n s = Concat<axis = 0>(w, v)\n"
                    " y = Reshape(x, s)",
                    "float[A,B]", "float[N,M]"),
              AllOf(HasSubstr("onnx.Gather"), HasSubstr("-> tensor<?x?xf32>")))
      << "rows become columns, in the order of the elements";
  EXPECT_THAT(sizes("s = Concat<axis = 0>(v, v)\n y = Reshape(x, s)", "float[A,B]"),
              HasSubstr("depends on 2 sizes that vary; one can be inferred"))
      << "not as many elements";
}

TEST_F(VaryingSizesTest, TheRowOfAClassIsRepeated) {
  EXPECT_THAT(sizes("k = Unsqueeze(one, axis)\n r = Concat<axis = 0>(v, k)\n y = Tile(row, r)",
                    "float[A,B]"),
              HasSubstr("like %arg1 {shape = array<i64: -1, 4>}"));
}

TEST_F(VaryingSizesTest, TermsThatAreTooLongAreNone) {
  auto power = [&](int squares) {
    std::string nodes = "p0 = Add(n, zero)\n";
    for (int i = 0; i < squares; ++i)
      nodes += "p" + std::to_string(i + 1) + " = Mul(p" + std::to_string(i) + ", p" +
               std::to_string(i) + ")\n";
    return sizes(nodes + "y = Cast<to = 1>(p" + std::to_string(squares) + ")", "float");
  };
  EXPECT_THAT(power(4), HasSubstr("onnx.Cast"));
  EXPECT_THAT(power(40), HasSubstr("in a way that nothing is known of; --size NAME=SIZE"))
      << "as a tree it would have 2^40 leaves";
}

} // namespace
