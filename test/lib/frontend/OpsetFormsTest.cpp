// Operators in old and odd forms: the one form that they get, or why they get none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

using namespace tutti::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

/// An error has no such text either.
auto isProgramWithout(const char *text) {
  return testing::AllOf(HasSubstr("func.func"), Not(HasSubstr(text)));
}

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
  EXPECT_THAT(import("y, z = Split<axis = 0>(x)"), HasSubstr("shape = array<i64: 2, -1, 4>"))
      << "it varies: whether it can be divided is told later";
  EXPECT_THAT(import("y, z = Split<axis = 0>(x)", 17, "float[3,4]"),
              HasSubstr("into 2 equal parts along dimension 0"));
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
  EXPECT_THAT(import("y = Dropout(x)", 13), isProgramWithout("onnx.Constant"))
      << "the default is the operator's own";
}

TEST_F(OpsetFormsTest, BatchNormalizationTrainsByItsOutputsBefore14) {
  std::string constants = "float[4] s = {1,1,1,1}, float[4] v = {1,1,1,1}, float[4] m = {0,0,0,0}, "
                          "float[4] b = {0,0,0,0}";
  EXPECT_THAT(
      import("y, a, c, d, e = BatchNormalization(x, s, b, m, v)", 9, "float[N,4]", constants),
      HasSubstr("training_mode = 1"));
  EXPECT_THAT(import("y = BatchNormalization(x, s, b, m, v)", 9, "float[N,4]", constants),
              isProgramWithout("training_mode"));
  EXPECT_THAT(
      import("y = BatchNormalization<spatial = 1>(x, s, b, m, v)", 7, "float[N,4]", constants),
      isProgramWithout("spatial"));
  EXPECT_THAT(
      import("y = BatchNormalization<spatial = 0>(x, s, b, m, v)", 7, "float[N,4]", constants),
      HasSubstr("spatial = 0 (statistics for each element) is not supported"));
}

TEST_F(OpsetFormsTest, SoftmaxOfMatricesBefore13) {
  EXPECT_THAT(import("y = Softmax(x)", 11, "float[N,3,4]"), HasSubstr("onnx.Flatten"));
  EXPECT_THAT(import("y = Softmax<axis = -1>(x)", 11, "float[N,3,4]"),
              isProgramWithout("onnx.Flatten"));
  EXPECT_THAT(import("y = Softmax<axis = 3>(x)", 11, "float[N,3,4]"), HasSubstr("onnx.Flatten"));
  EXPECT_THAT(import("y = Softmax<axis = 4>(x)", 11, "float[N,3,4]"),
              HasSubstr("axis is out of range"));
  EXPECT_THAT(import("y = Softmax(x)", 11, "float[N,M,4]"),
              AllOf(HasSubstr("onnx.ReduceMax %arg0 {axes = array<i64: 1, 2>"),
                    HasSubstr("onnx.ReduceSum"), HasSubstr("onnx.Div")));
  EXPECT_THAT(import("y = LogSoftmax(x)", 11, "float[N,M,4]"),
              AllOf(HasSubstr("onnx.Log "), HasSubstr("onnx.Sub")));
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
}

/// Zeros for each sample, as of a hidden state: one zero, as often as there are samples.
TEST_F(OpsetFormsTest, ConstantOfAShapeThatVariesIsRepeated) {
  EXPECT_THAT(import("t = Shape(x)  c = ConstantOfShape(t)  y = Add(x, c)"),
              AllOf(HasSubstr("onnx.Constant dense<0.000000e+00> : tensor<f32>"),
                    HasSubstr("onnx.Expand"), HasSubstr("shape = array<i64: -1, 4>"),
                    HasSubstr("-> tensor<?x4xf32>")));
  EXPECT_THAT(
      import("t = Shape(x)  n = Gather<axis = 0>(t, i)  d = Constant<value_ints = [2]>()  "
             "two = Concat<axis = 0>(d, n)  c = ConstantOfShape<value = float[1] {3}>(two)  "
             "u = ReduceSum(c)  y = Add(x, u)",
             17, "float[N,4]", "int64[1] i = {0}"),
      AllOf(HasSubstr("dense<3.000000e+00> : tensor<f32>"), HasSubstr("shape = array<i64: 2, -1>"),
            HasSubstr("tensor<2x?xf32>")));
}

TEST_F(OpsetFormsTest, NoiseHasTheShapeOfATensor) {
  EXPECT_THAT(
      import("e = RandomNormalLike<mean = 1.0>(x)  y = Add(x, e)"),
      HasSubstr("onnx.RandomNormalLike %arg0 {mean = 1.000000e+00 : f32} : (tensor<?x4xf32>) "
                "-> tensor<?x4xf32>"));
  EXPECT_THAT(import("e = RandomUniformLike<dtype = 11>(x)  y = Cast<to = 1>(e)"),
              HasSubstr("-> tensor<?x4xf64>"));
  EXPECT_THAT(import("c = Bernoulli<dtype = 9>(x)  y = Cast<to = 1>(c)"),
              AllOf(HasSubstr("onnx.RandomUniformLike %arg0"), HasSubstr("onnx.Less")));
  EXPECT_THAT(import("i = Cast<to = 7>(x)  e = RandomNormalLike(i)  y = Cast<to = 1>(e)"),
              HasSubstr("draws floats, but its type is 'i64'; state a dtype"));
}

TEST_F(OpsetFormsTest, SlicesInAttributes) {
  std::string constants = "int64[1] from = {1}, int64[1] to = {-1}, int64[1] axis = {1}, "
                          "int64[1] step = {2}";
  EXPECT_THAT(import("y = Slice(x, from, to, axis, step)", 13, "float[N,4]", constants),
              HasSubstr("onnx.Slice %arg0 {axes = array<i64: 1>, ends = array<i64: -1>, starts = "
                        "array<i64: 1>, steps = array<i64: 2>} : (tensor<?x4xf32>) -> "
                        "tensor<?x1xf32>"));
  EXPECT_THAT(import("y = Slice<axes = [1], starts = [1], ends = [3]>(x)", 9),
              HasSubstr("-> tensor<?x2xf32>"));
  EXPECT_THAT(import("a = Cast<to = 7>(x)  b = Flatten(a)  y = Slice(x, b, to)", 13, "float[N,4]",
                     constants),
              HasSubstr("(starts) must be constant integers or be computed from sizes"));
}

TEST_F(OpsetFormsTest, ASliceDownToTheLeastInteger) {
  std::string constants = "int64[1] from = {-1}, int64[1] to = {-9223372036854775808}, "
                          "int64[1] axis = {1}, int64[1] step = {-1}";
  EXPECT_THAT(import("y = Slice(x, from, to, axis, step)", 13, "float[N,4]", constants),
              HasSubstr("steps = array<i64: -1>} : (tensor<?x4xf32>) -> tensor<?x4xf32>"));
  EXPECT_THAT(import("y = Reshape(x, to)", 13, "float[N,4]", constants),
              HasSubstr("must be a constant integer vector"))
      << "elsewhere it is no size";
}

TEST_F(OpsetFormsTest, AGlobalMaxPoolIsAWindow) {
  EXPECT_THAT(import("y = GlobalMaxPool(x)", 13, "float[N,2,3,4]"),
              HasSubstr("onnx.MaxPool %arg0 {kernel_shape = array<i64: 3, 4>} : "
                        "(tensor<?x2x3x4xf32>) -> tensor<?x2x1x1xf32>"));
  EXPECT_THAT(import("y = GlobalMaxPool(x)", 13, "float[N,2,M,4]"),
              HasSubstr("onnx.ReduceMax %arg0 {axes = array<i64: 2, 3>, noop_with_empty_axes = 1"));
  EXPECT_THAT(import("y = GlobalMaxPool(x)", 13, "float[N,2,1,2,3,4]"),
              HasSubstr("onnx.ReduceMax %arg0 {axes = array<i64: 2, 3, 4, 5>"))
      << "windows have three dimensions at most";
  EXPECT_THAT(import("y = GlobalMaxPool(x)", 13, "float[N]"),
              HasSubstr("needs samples with channels, got 'tensor<?xf32>'"));
}

TEST_F(OpsetFormsTest, ASliceThatEndsWhereABatchEnds) {
  std::string nodes = "t = Shape(x)  n = Gather(t, axis)  y = Slice(x, zero, n, axis)";
  EXPECT_THAT(import(nodes, 13, "float[N,4]", "int64[1] zero = {0}, int64[1] axis = {0}"),
              HasSubstr("ends = array<i64: 9223372036854775807>"));
  std::string other = "t = Shape(x)  n = Gather(t, zero)  y = Slice(x, zero, n, one)";
  EXPECT_THAT(import(other, 13, "float[N,4]", "int64[1] zero = {0}, int64[1] one = {1}"),
              AllOf(HasSubstr("onnx.Conv"), HasSubstr("onnx.Gather")))
      << "the program is refused where the batch is more than 4";
}

TEST_F(OpsetFormsTest, ExpandToABatch) {
  std::string nodes = "t = Shape(x)  n = Gather(t, zero)  s = Concat<axis = 0>(n, rest)  "
                      "e = Expand(c, s)  y = Add(e, x)";
  EXPECT_THAT(import(nodes, 13, "float[N,4]",
                     "int64[1] zero = {0}, int64[1] rest = {4}, float[1,1] c = {1}"),
              HasSubstr("like %arg1 {shape = array<i64: -1, 4>}"));
  EXPECT_THAT(import("m = Mul(n, two)  t = Shape(x)  n = Gather(t, zero)  e = Expand(c, m)  "
                     "y = Add(e, e)",
                     13, "float[N,4]", "int64[1] zero = {0}, int64[1] two = {2}, float[1] c = {1}"),
              HasSubstr("shape = array<i64: -1, 2>"))
      << "as many as two of each entry, in one row";
}

TEST_F(OpsetFormsTest, ClipBefore11) {
  EXPECT_THAT(import("y = Clip<max = 6.0, min = 0.0>(x)", 7), HasSubstr("onnx.Clip %arg0 min"));
  EXPECT_THAT(import("y = Clip(x, , high)", 13, "float[N,4]", "float high = {6}"),
              HasSubstr("onnx.Clip %arg0 max"));
}

TEST_F(OpsetFormsTest, RangesAreConstants) {
  EXPECT_THAT(import("r = Range(a, b, c)  y = Add(x, r)", 13, "float[N,4]",
                     "float a = {0}, float b = {1}, float c = {0.25}"),
              HasSubstr("dense<[0.000000e+00, 2.500000e-01, 5.000000e-01, 7.500000e-01]>"));
  EXPECT_THAT(import("r = Range(a, b, c)  y = Identity(r)", 13, "float[N,4]",
                     "int64 a = {5}, int64 b = {0}, int64 c = {-2}"),
              HasSubstr("dense<[5, 3, 1]> : tensor<3xi64>"));
  EXPECT_THAT(import("r = Range(a, b, c)  y = Identity(r)", 13, "float[N,4]",
                     "int64 a = {0}, int64 b = {1}, int64 c = {0}"),
              HasSubstr("is not supported"));
}

TEST_F(OpsetFormsTest, TrianglesAndRunningSums) {
  EXPECT_THAT(import("y = Trilu<upper = 0>(x, k)", 14, "float[N,4]", "int64 k = {-1}"),
              HasSubstr("onnx.Trilu %arg0 {k = -1 : i64, upper = 0 : i64}"));
  EXPECT_THAT(import("y = CumSum(x, axis)", 14, "float[N,4]", "int64 axis = {1}"),
              HasSubstr("onnx.CumSum %arg0 {axis = 1 : i64}"));
}

TEST_F(OpsetFormsTest, LayerNormalizationInTwoPasses) {
  std::string text = import("y = LayerNormalization<axis = -1>(x, s, b)", 17, "float[N,4]",
                            "float[4] s = {1,1,1,1}, float[4] b = {0,0,0,0}");
  EXPECT_THAT(text, HasSubstr("onnx.Sub"));
  EXPECT_THAT(text, HasSubstr("onnx.Reciprocal"));
  EXPECT_THAT(
      import("y = LayerNormalization<axis = 2>(x, s)", 17, "float[N,4]", "float[4] s = {1,1,1,1}"),
      HasSubstr("axis 2 is no dimension of 'tensor<?x4xf32>'"));
}

TEST_F(OpsetFormsTest, MarginsOfTheTensorItself) {
  std::string constants = "int64[4] p = {0, 2, 0, 1}, int64[4] wide = {0, 4, 0, 0}, float v = {9}";
  std::string mirrored = import("y = Pad<mode = \"reflect\">(x, p)", 13, "float[N,4]", constants);
  EXPECT_THAT(mirrored, HasSubstr("onnx.Concat"));
  EXPECT_THAT(mirrored, HasSubstr("tensor<?x7xf32>"));
  EXPECT_THAT(import("y = Pad<mode = \"edge\">(x, p)", 13, "float[N,4]", constants),
              HasSubstr("onnx.Expand"));
  EXPECT_THAT(import("y = Pad(x, p, v)", 13, "float[N,4]", constants),
              HasSubstr("{pads = array<i64: 0, 2, 0, 1>, value = 9.000000e+00 : f64}"));
  EXPECT_THAT(import("y = Pad<mode = \"reflect\">(x, wide)", 13, "float[N,4]", constants),
              HasSubstr("cannot pad dimension 1 of 'tensor<?x4xf32>' by 4 and 0 entries"));
  EXPECT_THAT(import("y = Pad<mode = \"mirror\">(x, p)", 13, "float[N,4]", constants),
              HasSubstr("its mode 'mirror' is none of constant, reflect, edge and wrap"));
}

TEST_F(OpsetFormsTest, TilesAreExpanded) {
  std::string constants = "int64[2] r = {1, 3}, int64[1] one = {2}";
  std::string text = import("y = Tile(x, r)", 13, "float[N,4]", constants);
  EXPECT_THAT(text, HasSubstr("onnx.Expand"));
  EXPECT_THAT(text, HasSubstr("tensor<?x12xf32>"));
  EXPECT_THAT(import("y = Tile(x, one)", 13, "float[N,4]", constants),
              HasSubstr("needs one repeat that is not negative for each dimension"));
}

TEST_F(OpsetFormsTest, CastsToTypesThatAreNone) {
  EXPECT_THAT(import("y = Cast<to = 1>(x)"), HasSubstr("onnx.Cast"));
  EXPECT_THAT(import("y = Cast<to = 8>(x)"), HasSubstr("to = STRING is not supported"));
  EXPECT_THAT(import("y = Cast<to = 99>(x)"), HasSubstr("to = data type 99 is not supported"));
}

TEST_F(OpsetFormsTest, AxesAreAnOperandSince18) {
  std::string axes = "int64[1] a = {1}, int64[0] none = {}";
  EXPECT_THAT(import("y = ReduceMean<keepdims = 0>(x, a)", 18, "float[N,4]", axes),
              HasSubstr("onnx.ReduceMean %arg0 {axes = array<i64: 1>, keepdims = 0 : i64}"));
  EXPECT_THAT(import("y = ReduceMean<axes = [1]>(x)", 17), HasSubstr("axes = array<i64: 1>"));
  EXPECT_THAT(import("y = ReduceMean<noop_with_empty_axes = 1>(x)", 18),
              HasSubstr("noop_with_empty_axes = 1"));
  EXPECT_THAT(import("y = ReduceMean(x, a)", 17, "float[N,4]", axes),
              HasSubstr("not in range [min=1, max=1]"))
      << "not yet an operand";
  EXPECT_THAT(import("b = Cast<to = 7>(x)  y = ReduceMean(x, b)", 18),
              HasSubstr("must be a constant integer vector"));
}

TEST_F(OpsetFormsTest, PartsMayDifferSince18) {
  EXPECT_THAT(import("y, z = Split<axis = 1, num_outputs = 2>(x)", 18, "float[N,5]"),
              HasSubstr("split = array<i64: 3, 2>"));
  EXPECT_THAT(import("y, z = Split<axis = 1>(x)", 17, "float[N,5]"),
              HasSubstr("into 2 equal parts along dimension 1"));
  EXPECT_THAT(import("y, z = Split<axis = 1, num_outputs = 3>(x)", 18, "float[N,6]"),
              HasSubstr("num_outputs is 3, but it has 2 outputs"));
  EXPECT_THAT(import("y, z = Split<axis = 1, num_outputs = 2>(x)", 17),
              HasSubstr("Unrecognized attribute: num_outputs"));
}

TEST_F(OpsetFormsTest, CastsSaturateSince19) {
  EXPECT_THAT(import("y = Cast<saturate = 0, to = 10>(x)", 19), HasSubstr("{to = f16}"));
  EXPECT_THAT(import("y = Cast<saturate = 0, to = 10>(x)", 18),
              HasSubstr("Unrecognized attribute: saturate"));
  EXPECT_THAT(import("y = Cast<to = 17>(x)", 19), HasSubstr("to = FLOAT8E4M3FN is not supported"));
  EXPECT_THAT(import("y = Cast<to = 22>(x)", 21), HasSubstr("to = INT4 is not supported"));
}

TEST_F(OpsetFormsTest, AveragePoolDilatesSince19) {
  EXPECT_THAT(import("y = AveragePool<kernel_shape = [2], dilations = [1]>(x)", 19, "float[N,1,4]"),
              HasSubstr("onnx.AveragePool"));
  EXPECT_THAT(import("y = AveragePool<kernel_shape = [2], dilations = [2]>(x)", 19, "float[N,1,4]"),
              HasSubstr("dilations = array<i64: 2>"));
  EXPECT_THAT(import("y = AveragePool<kernel_shape = [2], dilations = [1]>(x)", 18, "float[N,1,4]"),
              HasSubstr("Unrecognized attribute: dilations"));
}

TEST_F(OpsetFormsTest, GeluSince20) {
  EXPECT_THAT(import("y = Gelu(x)", 20), HasSubstr("onnx.Gelu %arg0 :"));
  EXPECT_THAT(import("y = Gelu<approximate = \"tanh\">(x)", 20),
              HasSubstr("{approximate = \"tanh\"}"));
  EXPECT_THAT(
      import("h = Gelu(x)  y = Relu(h)", 19),
      HasSubstr("(Gelu) that makes 'h': operator 'Gelu' of domain 'ai.onnx' is not supported"));
  EXPECT_THAT(
      import("h = Gelu(x, x)  y = Relu(h)", 20),
      HasSubstr("(Gelu) that makes 'h': operator 'Gelu' of domain 'ai.onnx' is not supported"));
  EXPECT_THAT(
      import("h = Gelu<alpha = 2.0>(x)  y = Relu(h)", 20),
      HasSubstr("(Gelu) that makes 'h': operator 'Gelu' of domain 'ai.onnx' is not supported"));
}

TEST_F(OpsetFormsTest, GroupNormalizationScalesGroupsIn18AndChannelsSince21) {
  auto normalize = [&](int opset, const std::string &size) {
    return import("y = GroupNormalization<num_groups = 2>(x, s, b)", opset, "float[N,4,3]",
                  "float[" + size + "] s = {1,1}, float[" + size + "] b = {0,0}");
  };
  EXPECT_THAT(normalize(18, "2"), HasSubstr("-> tensor<?x2x6xf32>"));
  EXPECT_THAT(normalize(18, "2"), HasSubstr("onnx.Unsqueeze %arg0 {axes = array<i64: 1>}"));
  EXPECT_THAT(
      import("y = GroupNormalization<num_groups = 2>(x, s, b)", 21, "float[N,4,3]",
             "float[4] s = {1,1,1,1}, float[4] b = {0,0,0,0}"),
      HasSubstr(
          "onnx.Unsqueeze %arg0 {axes = array<i64: 1>} : (tensor<4xf32>) -> tensor<4x1xf32>"));
}

TEST_F(OpsetFormsTest, RmsNormalizationSince23) {
  std::string text =
      import("y = RMSNormalization(x, s)", 23, "float[N,4]", "float[4] s = {1,1,1,1}");
  EXPECT_THAT(text, HasSubstr("onnx.ReduceMean"));
  EXPECT_THAT(text, Not(HasSubstr("onnx.Sub")));
  EXPECT_THAT(
      import("h = RMSNormalization(x, s)  y = Relu(h)", 22, "float[N,4]", "float[4] s = {1,1,1,1}"),
      HasSubstr("(RMSNormalization) that makes 'h': operator 'RMSNormalization' of domain "
                "'ai.onnx' is not supported"));
}

TEST_F(OpsetFormsTest, NormalizationsThatOnnxRuntimeWritesIntoAnyOperatorSet) {
  std::string constants = "float[4] s = {1,1,1,1}";
  EXPECT_THAT(import("y = LayerNormalization(x, s)", 14, "float[N,4]", constants),
              HasSubstr("onnx.Reciprocal"));
  EXPECT_THAT(import("h, i = SimplifiedLayerNormalization<axis = -1>(x, s)  y = Add(h, i)", 14,
                     "float[N,4]", constants),
              HasSubstr("onnx.Reciprocal"));
  EXPECT_THAT(import("h = SimplifiedLayerNormalization(x)  y = Relu(h)", 14),
              HasSubstr("(SimplifiedLayerNormalization) that makes 'h': operator "
                        "'SimplifiedLayerNormalization' of domain 'ai.onnx' is not supported"));
}

TEST_F(OpsetFormsTest, OperatorSetsThatAreNotRead) {
  EXPECT_THAT(import("y = Relu(x)", 5), HasSubstr("versions 6 to 24 are supported"));
  EXPECT_THAT(import("y = Relu(x)", 25), HasSubstr("uses version 25"));
  for (int opset = 6; opset <= 24; ++opset)
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

TEST_F(OpsetFormsTest, MaxPoolWithIndices) {
  std::string nodes = "v, i = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(x)  "
                      "y = Cast<to = 1>(i)";
  std::string text = import(nodes, 17, "float[N,2,4,4]");
  EXPECT_THAT(text, HasSubstr("onnx.CumSum"));
  EXPECT_THAT(text, HasSubstr("-> tensor<?x2x2x2xi64>"));
  EXPECT_THAT(import(nodes, 17, "float[N,2,H,4]"), HasSubstr("which is not supported"));
  EXPECT_THAT(import("y = MaxPool<kernel_shape = [2, 2]>(x)", 17, "float[N,2,4,4]"),
              isProgramWithout("onnx.Where"));
}

TEST_F(OpsetFormsTest, ConvTransposeOfUnknownSizes) {
  std::string kernel = "float[2,3,2,2] w = {1,1,1,1, 1,1,1,1, 1,1,1,1, 1,1,1,1, 1,1,1,1, 1,1,1,1}";
  EXPECT_THAT(import("y = ConvTranspose<strides = [2, 2]>(x, w)", 17, "float[N,2,4,4]", kernel),
              HasSubstr("-> tensor<?x3x8x8xf32>"));
  EXPECT_THAT(import("y = ConvTranspose(x, w)", 17, "float[N,2,H,4]", kernel),
              HasSubstr("needs spatial dimensions that are known"));
  EXPECT_THAT(import("y = ConvTranspose<group = 3>(x, w)", 17, "float[N,2,4,4]", kernel),
              HasSubstr("whose channels, in 3 groups, are those of the input"));
  EXPECT_THAT(import("y = ConvTranspose<strides = [2]>(x, w)", 17, "float[N,2,4,4]", kernel),
              HasSubstr("needs 2 entries in strides, got 1"));
}

TEST_F(OpsetFormsTest, ResizeOfKnownScales) {
  std::string image = "float[N,2,4,4]", scales = "float[4] s = {1, 1, 2, 2}";
  std::string nearest = import("y = Resize(x, , s)", 17, image, scales);
  EXPECT_THAT(nearest, HasSubstr("-> tensor<?x2x8x8xf32>"));
  EXPECT_THAT(nearest, Not(HasSubstr("onnx.Gather"))) << "elements are repeated";
  EXPECT_THAT(import("y = Resize<mode = \"linear\">(x, , s)", 17, image, scales),
              HasSubstr("onnx.Gather"));
  EXPECT_THAT(
      import("a = Constant<value = float[2] {1, 1}>()  b = Constant<value = float[2] {2, 3}>()"
             "  s = Concat<axis = 0>(a, b)  y = Resize(x, , s)",
             17, image),
      HasSubstr("-> tensor<?x2x8x12xf32>"))
      << "an exporter does not fold";
  EXPECT_THAT(import("y = Resize(x, , , n)", 17, image, "int64[4] n = {7, 2, 8, 8}"),
              HasSubstr("cannot resize dimension 0"))
      << "it varies";
  EXPECT_THAT(import("b = Shape(x)  d = Slice(b, zero, two)  t = Concat<axis = 0>(d, n)  "
                     "y = Resize(x, , , t)",
                     17, image, "int64[2] n = {8, 8}, int64[1] zero = {0}, int64[1] two = {2}"),
              HasSubstr("-> tensor<?x2x8x8xf32>"));
  EXPECT_THAT(import("r = ReduceSum(x)  t = Flatten(r)  y = Resize(x, , t)", 17, image),
              HasSubstr("(scales) must be constant floats"));
}

TEST_F(OpsetFormsTest, EyeLikeOfSizesThatVary) {
  EXPECT_THAT(import("y = EyeLike(x)"), HasSubstr("tensor<4xi64>) -> tensor<?x4xi1>"));
  EXPECT_THAT(import("y = EyeLike(x)", 13, "float[N]"), HasSubstr("needs a matrix, got"));
}

struct TrainingOperatorsTest : ImportFixture {
  std::string import(const std::string &nodes, const std::string &constants = "") {
    errors.clear();
    return importText(parse("<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n"
                            "g (float[N,4] x, float[N,4] z, int64[N] c) => (float[A,B] y) <" +
                            constants + "> {" + nodes + "}"));
  }
};

TEST_F(TrainingOperatorsTest, ListsOfTensors) {
  EXPECT_THAT(import("v, w = com.microsoft.PassThrough(x, z)  y = Sub(v, w)"),
              HasSubstr("onnx.Sub %arg0, %arg1"));
  EXPECT_THAT(import("v, w = com.microsoft.PassThrough(x)  y = Sub(v, w)"),
              HasSubstr("it has 1 inputs, but 2 outputs"));
  std::string norm = import("y = com.microsoft.ReduceAllL2(x, z)");
  EXPECT_THAT(norm, HasSubstr("onnx.Mul %arg1, %arg1"));
  EXPECT_THAT(norm, HasSubstr("onnx.Sum "));
  EXPECT_THAT(norm, HasSubstr("onnx.Sqrt"));
  EXPECT_THAT(import("v, n = com.microsoft.ConcatTraining<axis = 1>(x, z)  y = Identity(n)"),
              HasSubstr("dense<4> : tensor<2xi64>"));
}

TEST_F(TrainingOperatorsTest, TruthsAboutTensors) {
  std::string finite = import("f = com.microsoft.IsFinite(x)  y = com.microsoft.All(f)");
  EXPECT_THAT(finite, HasSubstr("onnx.IsInf"));
  EXPECT_THAT(finite, HasSubstr("onnx.Not"));
  EXPECT_THAT(finite, HasSubstr("-> tensor<i1>"));
  EXPECT_THAT(import("y = com.microsoft.Group(x, z)"), HasSubstr("dense<true> : tensor<1xi1>"));
}

TEST_F(TrainingOperatorsTest, ALossThatSaysInAnInputWhatItIgnores) {
  EXPECT_THAT(import("y, p = com.microsoft.SoftmaxCrossEntropyLossInternal<reduction = \"sum\">"
                     "(x, c, , skip)",
                     "int64 skip = {3}"),
              HasSubstr("ignore_index = 3 : i64, reduction = \"sum\""));
  EXPECT_THAT(import("y, p = com.microsoft.SoftmaxCrossEntropyLossInternal(x, c, , c)"),
              HasSubstr("(ignore_index) must be constant integers"));
  EXPECT_THAT(
      import("y, p = com.microsoft.SoftmaxCrossEntropyLossInternal<output_type = 10>(x, c)"),
      HasSubstr("output_type = FLOAT16 for scores of 'f32' is not supported; cast the result"));
  EXPECT_THAT(import("y = com.microsoft.NegativeLogLikelihoodLossInternal<ignore_index = 2>(x, c)"),
              HasSubstr("onnx.GatherElements"));
}

TEST_F(TrainingOperatorsTest, SumsAndScales) {
  EXPECT_THAT(
      import("y = com.microsoft.ScaledSum<scale_0 = 2.0, scale_1 = 3.0, scale_2 = 4.0>(x, z, x)"),
      HasSubstr("dense<4.000000e+00>"));
  EXPECT_THAT(import("y = com.microsoft.BiasDropout(x, z)"), HasSubstr("onnx.Dropout"));
  EXPECT_THAT(import("d, m = com.microsoft.BitmaskBiasDropout(x, z, x)  y = "
                     "com.microsoft.BitmaskDropoutGrad(d, m)"),
              HasSubstr("onnx.DropoutGrad"));
  EXPECT_THAT(
      import("d, m = com.microsoft.BitmaskDropout(x)  y = com.microsoft.BitmaskDropoutGrad(d, m)"),
      HasSubstr("onnx.DropoutGrad"));
  EXPECT_THAT(import("m = IsNaN(z)  y = com.microsoft.SoftmaxDropoutGrad(x, z, m)"),
              HasSubstr("onnx.SoftmaxGrad"));
  EXPECT_THAT(import("y = com.microsoft.ZeroGradient(x, z)"),
              HasSubstr("dense<0.000000e+00> : tensor<f32>"));
}

TEST_F(TrainingOperatorsTest, AGradientOfALookupWhoseTableVaries) {
  EXPECT_THAT(import("s = Shape(x)  y = com.microsoft.GatherGrad(s, c, z)"),
              HasSubstr("the size of dimension 0, along which it looks up, must be known"));
}

} // namespace
