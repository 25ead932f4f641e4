// The gradients that are formulas, and those of operators that are expressed by others at import,
// against differences of the operators that they belong to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "dialects/train/Train.h"
#include "lib/frontend/ImportOnnx.h"
#include "passes/gradient/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

#include "onnx/defs/parser.h"

#include <cmath>

using namespace tutti::test;
using tutti::test::LoadedProgram;

namespace {

/// How an operator is called, with `@` after the names of what it depends on, and its gradient,
/// which makes dx, ds and db of x, s, b and dy.
struct Case {
  std::string name, forward, gradient;
  int opset = 17;
};

std::string forPoint(std::string text, const std::string &point) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, point);
  return text;
}

/// A case whose gradient with respect to x, s and b is derived from its forward text.
Case derived(const std::string &name, const std::string &forward, int opset = 17) {
  return {name, forward,
          forPoint(forward, "") + "  weighed = Mul(y, dy)  total = ReduceSum<keepdims = 0>(weighed)"
                                  "  dx, ds, db = ai.onnx.preview.training.Gradient"
                                  "<xs = [\"x\", \"s\", \"b\"], y = \"total\">(x, s, b)",
          opset};
}

/// The sum of the squares of c@, and what flows into c from there.
const std::string squares = "  q@ = Mul(c@, c@)  y@ = ReduceSum<keepdims = 0>(q@)";
const std::string backThroughSquares = "  all = ReduceSum<keepdims = 0>(dy)  twice = Add(c, c)  dc "
                                       "= Mul(twice, all)  shape = Shape(x)  ";

/// Images looked up at points that depend on s, within the images and beyond them.
std::string gridSample(const std::string &attributes) {
  return "hh@ = Reshape(x@, heads)  e@ = Reshape(s@, moves)  t@ = Tanh(e@)  "
         "m@ = Mul(t@, tenth)  g@ = Add(points, m@)  c@ = GridSample<" +
         attributes + ">(hh@, g@)" + squares;
}

const Case kCases[] = {
    {"Gelu", "y@ = com.microsoft.Gelu(x@)", "dx = com.microsoft.GeluGrad(dy, x)"},
    {"FastGelu", "y@ = com.microsoft.FastGelu(x@)", "dx = com.microsoft.FastGeluGrad(dy, x)"},
    {"QuickGelu", "y@ = com.microsoft.QuickGelu<alpha = 1.5>(x@)",
     "dx = com.microsoft.QuickGeluGrad<alpha = 1.5>(dy, x)"},
    {"BiasGelu", "y@ = com.microsoft.BiasGelu(x@, b@)",
     "dx = com.microsoft.BiasGeluGrad_dX(dy, x, b)  db = ReduceSum<keepdims = 0>(dx, rows)"},
    {"Sigmoid", "y@ = Sigmoid(x@)", "f = Sigmoid(x)  dx = com.microsoft.SigmoidGrad(dy, f)"},
    {"Tanh", "y@ = Tanh(x@)", "f = Tanh(x)  dx = com.microsoft.TanhGrad(dy, f)"},
    {"Div", "y@ = Div(x@, s@)", "dx, ds = com.microsoft.DivGrad(dy, x, s)"},
    {"Softmax", "y@ = Softmax<axis = 0>(x@)",
     "f = Softmax<axis = 0>(x)  dx = com.microsoft.SoftmaxGrad_13<axis = 0>(dy, f)"},
    {"LogSoftmax", "y@ = LogSoftmax(x@)",
     "f = LogSoftmax(x)  dx = com.microsoft.LogSoftmaxGrad<axis = 1>(dy, f)"},
    {"LayerNormalization", "y@ = LayerNormalization(x@, s@, b@)",
     "f, m, i = LayerNormalization(x, s, b)  "
     "dx, ds, db = com.microsoft.LayerNormalizationGrad(dy, x, s, m, i)"},
    {"InvertibleLayerNormalization", "y@ = LayerNormalization(x@, s@, b@)",
     "f, m, i = LayerNormalization(x, s, b)  "
     "dx, ds, db = com.microsoft.InvertibleLayerNormalizationGrad(dy, f, s, b, i)"},
    {"SimplifiedLayerNormalization", "y@ = SimplifiedLayerNormalization(x@, s@)",
     "f, i = SimplifiedLayerNormalization(x, s)  "
     "dx, ds = com.microsoft.SimplifiedLayerNormalizationGrad(dy, x, s, i)"},
    {"LeakyRelu", "y@ = LeakyRelu<alpha = 0.2>(x@)",
     "f = LeakyRelu<alpha = 0.2>(x)  dx = com.microsoft.LeakyReluGrad<alpha = 0.2>(dy, f)"},
    {"ScaledSum", "y@ = com.microsoft.ScaledSum<scale_0 = 0.5, scale_1 = 2.0>(x@, b@)",
     "dx, full = com.microsoft.BatchScale<scale_0 = 0.5, scale_1 = 2.0>(dy)  "
     "db = ReduceSum<keepdims = 0>(full, rows)"},
    {"ConcatTraining",
     "l@, r@ = Split<axis = 1>(x@)  t@ = Tanh(l@)  "
     "y@, n@ = com.microsoft.ConcatTraining<axis = 1>(r@, t@)",
     "l, r = Split<axis = 1>(x)  t = Tanh(l)  "
     "f, n = com.microsoft.ConcatTraining<axis = 1>(r, t)  "
     "gr, gt = com.microsoft.SplitTraining<axis = 1>(dy, n)  "
     "gl = com.microsoft.TanhGrad(gt, t)  dx = Concat<axis = 1>(gl, gr)"},
    {"Slice", "c@ = Slice(x@, first, third, first)" + squares,
     "c = Slice(x, first, third, first)" + backThroughSquares +
         "dx = com.microsoft.SliceGrad(dc, shape, first, third, first)"},
    {"Gather", "c@ = Gather<axis = 1>(x@, picks)" + squares,
     "c = Gather<axis = 1>(x, picks)" + backThroughSquares +
         "dx = com.microsoft.GatherGrad<axis = 1>(shape, picks, dc)"},
    {"GatherMatrix", "c@ = Gather<axis = 1>(x@, pairs)" + squares,
     "c = Gather<axis = 1>(x, pairs)" + backThroughSquares +
         "dx = com.microsoft.GatherGrad<axis = -1>(shape, pairs, dc)"},
    {"GatherElements", "c@ = GatherElements<axis = 1>(x@, pairs)" + squares,
     "c = GatherElements<axis = 1>(x, pairs)" + backThroughSquares +
         "dx = com.microsoft.GatherElementsGrad<axis = 1>(dc, shape, pairs)"},
    {"GatherND", "c@ = GatherND(x@, places)" + squares,
     "c = GatherND(x, places)" + backThroughSquares +
         "dx = com.microsoft.GatherNDGrad(shape, places, dc)"},
    {"Broadcast", "y@ = Mul(x@, s@)",
     "shape = Shape(x)  less = Shape(s)  "
     "ax, as = com.microsoft.BroadcastGradientArgs(shape, less)  full = Mul(dy, x)  "
     "ds = com.microsoft.ReduceSumTraining<keepdims = 0>(full, as)  part = Mul(dy, s)  "
     "dx = com.microsoft.ReduceSumTraining<noop_with_empty_axes = 1>(part, ax)"},
    {"SoftmaxCrossEntropy", "y@, l@ = com.microsoft.SoftmaxCrossEntropy(x@, hot)",
     "f, p = com.microsoft.SoftmaxCrossEntropy(x, hot)  all = ReduceSum<keepdims = 0>(dy)  "
     "dx = com.microsoft.SoftmaxCrossEntropyGrad(all, p, hot)"},
    {"SoftmaxCrossEntropySum",
     "y@, l@ = com.microsoft.SoftmaxCrossEntropy<reduction = \"sum\">(x@, hot)",
     "f, p = com.microsoft.SoftmaxCrossEntropy<reduction = \"sum\">(x, hot)  "
     "all = ReduceSum<keepdims = 0>(dy)  "
     "dx = com.microsoft.SoftmaxCrossEntropyGrad<reduction = \"sum\">(all, p, hot)"},
    derived("EinsumOfMatrices", "c@ = Einsum<equation = \"ij,kj->ik\">(x@, x@)" + squares),
    derived("EinsumOfColumns", "c@ = Einsum<equation = \"ij,j\">(x@, s@)" + squares),
    derived("EinsumOfElements", "y@ = Einsum<equation = \"ij,j->ij\">(x@, s@)"),
    derived("EinsumOfDiagonals", "o@ = Einsum<equation = \"bi,j->bij\">(x@, s@)  "
                                 "y@ = Einsum<equation = \"...ii->...i\">(o@)"),
    derived("EinsumOfThree", "c@ = Einsum<equation = \"...j,j,kj->k...\">(x@, s@, x@)" + squares),
    derived("EinsumOfHeads", "hh@ = Reshape(x@, heads)  t@ = Tanh(hh@)  "
                             "pp@ = Einsum<equation = \"bhid,bhjd->bhij\">(hh@, t@)  "
                             "c@ = Einsum<equation = \"bhij,bhjd->bihd\">(pp@, hh@)" +
                                 squares),
    derived("EinsumOfProjections", "hh@ = Reshape(x@, heads)  w@ = Reshape(s@, square)  "
                                   "c@ = Einsum<equation = \"bhid,de->bieh\">(hh@, w@)" +
                                       squares),
    derived("EinsumOfMergedColumns", "hh@ = Reshape(x@, heads)  w@ = Reshape(s@, square)  "
                                     "c@ = Einsum<equation = \"bhid,id->bh\">(hh@, w@)" +
                                         squares),
    derived("SpaceToDepth", "hh@ = Reshape(x@, heads)  d@ = SpaceToDepth<blocksize = 2>(hh@)  "
                            "c@ = Tanh(d@)" +
                                squares),
    derived("DepthToSpace",
            "hh@ = Reshape(x@, deep)  d@ = DepthToSpace<blocksize = 2>(hh@)  c@ = Tanh(d@)" +
                squares),
    derived("ConvTranspose",
            "hh@ = Reshape(x@, heads)  w@ = Reshape(s@, kernel)  "
            "c@ = ConvTranspose<strides = [2, 1], dilations = [1, 2], pads = [1, 0, 0, 2], "
            "output_padding = [1, 0]>(hh@, w@)" +
                squares),
    derived("ResizeNearest", "hh@ = Reshape(x@, heads)  c@ = Resize(hh@, , larger)" + squares),
    derived("ResizeRepeats", "hh@ = Reshape(x@, heads)  c@ = Resize(hh@, , twofold)" + squares),
    derived("ResizeLinear",
            "hh@ = Reshape(x@, heads)  c@ = Resize<mode = \"linear\">(hh@, , larger)" + squares),
    derived("ResizeCubic", "hh@ = Reshape(x@, heads)  "
                           "c@ = Resize<mode = \"cubic\", exclude_outside = 1>(hh@, , larger)" +
                               squares),
    derived("ResizeAntialias",
            "hh@ = Reshape(x@, heads)  "
            "c@ = Resize<mode = \"cubic\", antialias = 1>(hh@, , smaller)" +
                squares,
            18),
    derived("InstanceNormalization",
            "hh@ = Reshape(x@, heads)  f@ = Slice(s@, rows, two)  "
            "g@ = Slice(b@, first, third)  scale@ = Slice(f@, rows, first)  "
            "bias@ = Slice(g@, rows, first)  "
            "n@ = InstanceNormalization(hh@, scale@, bias@)  c@ = Tanh(n@)" +
                squares),
    derived("GroupNormalization",
            "hh@ = Reshape(x@, deep)  n@ = GroupNormalization<num_groups = 2>(hh@, s@, b@)  "
            "c@ = Tanh(n@)" +
                squares,
            21),
    derived("RMSNormalization", "y@ = RMSNormalization(x@, s@)", 23),
    derived("ReduceL1", "c@ = ReduceL1<axes = [1]>(x@)" + squares),
    derived("ReduceL2", "t@ = ReduceL2<axes = [0]>(x@)  c@ = Mul(t@, s@)" + squares),
    derived("ReduceLogSum", "e@ = Exp(x@)  c@ = ReduceLogSum<axes = [1]>(e@)" + squares),
    derived("ReduceLogSumExp", "c@ = ReduceLogSumExp<axes = [1]>(x@)" + squares),
    derived("SequenceConstruct", "t@ = Tanh(x@)  parts@ = SequenceConstruct(x@, t@)  "
                                 "c@ = ConcatFromSequence<axis = 1>(parts@)" +
                                     squares),
    derived("Tile", "t@ = Tile(x@, square)  c@ = Tanh(t@)" + squares),
    derived("Upsample",
            "hh@ = Reshape(x@, heads)  c@ = Upsample<mode = \"linear\">(hh@, larger)" + squares, 9),
    derived("FusedMatMul",
            "w@ = Mul(x@, s@)  c@ = com.microsoft.FusedMatMul<alpha = 0.5, transB = 1>(x@, w@)" +
                squares),
    derived("SoftmaxCrossEntropyLossInternal",
            "y@, l@ = com.microsoft.SoftmaxCrossEntropyLossInternal(x@, classes, counts, one)"),
    derived("NegativeLogLikelihoodLossInternal",
            "l@ = LogSoftmax<axis = 1>(x@)  "
            "y@ = com.microsoft.NegativeLogLikelihoodLossInternal(l@, classes, counts)"),
    {"LogSoftmaxOfColumns", "y@ = LogSoftmax<axis = 0>(x@)",
     "f = LogSoftmax<axis = 0>(x)  dx = com.microsoft.LogSoftmaxGrad_13<axis = 0>(dy, f)"},
    {"SoftmaxOfRows", "y@ = Softmax<axis = 1>(x@)",
     "f = Softmax<axis = 1>(x)  dx = com.microsoft.SoftmaxGrad<axis = 1>(dy, f)"},
    {"BiasFastGelu", "t@ = Add(x@, b@)  y@ = com.microsoft.FastGelu(t@)",
     "dx = com.microsoft.BiasFastGeluGrad_dX(dy, x, b)  db = ReduceSum<keepdims = 0>(dx, rows)"},
    {"SoftmaxCrossEntropyLoss", "y@, l@ = SoftmaxCrossEntropyLoss(x@, classes, counts)",
     "f, l = SoftmaxCrossEntropyLoss(x, classes, counts)  all = ReduceSum<keepdims = 0>(dy)  "
     "dx = com.microsoft.SoftmaxCrossEntropyLossGrad(all, l, classes, counts)"},
    {"SoftmaxCrossEntropyLossOfSome",
     "y@, l@ = SoftmaxCrossEntropyLoss<ignore_index = 1>(x@, classes, counts)",
     "f, l = SoftmaxCrossEntropyLoss(x, classes, counts)  all = ReduceSum<keepdims = 0>(dy)  "
     "dx = com.microsoft.SoftmaxCrossEntropyLossInternalGrad(all, l, classes, counts, one)"},
    derived("ResizeCrop",
            "hh@ = Reshape(x@, heads)  "
            "c@ = Resize<mode = \"linear\", coordinate_transformation_mode = "
            "\"tf_crop_and_resize\", extrapolation_value = 0.5>(hh@, region, larger)" +
                squares),
    derived("EmbedLayerNormalization",
            "c@, m@ = com.microsoft.EmbedLayerNormalization(kept, , x@, x@, , s@, b@)" + squares),
    derived("Scale", "t@ = Tanh(x@)  y@ = com.microsoft.Scale<scale_down = 1>(t@, tenth)"),
    derived("Compress", "t@ = Mul(x@, s@)  c@ = Compress<axis = 1>(t@, which)" + squares),
    derived("NonZero", "z@ = NonZero(which)  tuples@ = Transpose(z@)  f@ = Transpose(x@)  "
                       "c@ = GatherND(f@, tuples@)" +
                           squares),
    derived("SplitToSequence", "parts@ = SplitToSequence<axis = 1>(x@, square)  "
                               "part@ = SequenceAt(parts@, one)  c@ = Tanh(part@)" +
                                   squares),
    derived("NegativeLogLikelihoodLoss",
            "l@ = LogSoftmax<axis = 1>(x@)  "
            "y@ = NegativeLogLikelihoodLoss<ignore_index = 2>(l@, classes, counts)"),
    derived("GlobalMaxPool", "hh@ = Reshape(x@, heads)  c@ = GlobalMaxPool(hh@)" + squares),
    derived("LpPool", "hh@ = Reshape(x@, heads)  "
                      "c@ = LpPool<kernel_shape = [2, 2], pads = [1, 0, 1, 0], p = 3>(hh@)" +
                          squares),
    derived("LpPoolBeyondTheEnd",
            "hh@ = Reshape(x@, rows_of_four)  "
            "c@ = LpPool<kernel_shape = [3], strides = [2], ceil_mode = 1>(hh@)" +
                squares,
            18),
    derived("GlobalLpPool", "hh@ = Reshape(x@, heads)  c@ = GlobalLpPool(hh@)" + squares),
    derived("GlobalLpPoolOfSizes",
            "hh@ = Reshape(x@, heads)  c@ = GlobalLpPool<p = 1>(hh@)" + squares),
    derived("LRN", "hh@ = Reshape(x@, deep)  "
                   "c@ = LRN<size = 3, alpha = 0.5, beta = 0.6, bias = 0.9>(hh@)" +
                       squares),
    derived("ReverseSequence",
            "t@ = ReverseSequence<time_axis = 1, batch_axis = 0>(x@, lengths)  y@ = Mul(t@, s@)"),
    derived("TopK", "c@, i@ = TopK(x@, two)" + squares),
    derived("GridSampleLinear", gridSample("mode = \"bilinear\", padding_mode = \"zeros\"")),
    derived("GridSampleAligned", gridSample("padding_mode = \"border\", align_corners = 1")),
    derived("GridSampleReflected", gridSample("padding_mode = \"reflection\"")),
    derived("GridSampleReflectedAtPixels",
            gridSample("padding_mode = \"reflection\", align_corners = 1")),
    derived("GridSampleCubic", gridSample("mode = \"bicubic\", padding_mode = \"border\"")),
    derived("GridSampleCubicZeros", gridSample("mode = \"bicubic\", align_corners = 1")),
    derived("GridSampleNearest", "hh@ = Reshape(x@, heads)  "
                                 "c@ = GridSample<mode = \"nearest\">(hh@, points)" +
                                     squares),
    derived("AffineGrid",
            "hh@ = Reshape(x@, tokens)  v@ = Reshape(s@, values)  m@ = Concat<axis = 2>(hh@, v@)  "
            "c@ = AffineGrid(m@, area)" +
                squares,
            20),
    derived("RoiAlign", "hh@ = Reshape(x@, heads)  "
                        "c@ = RoiAlign<output_height = 2, output_width = 1, sampling_ratio = 2>"
                        "(hh@, regions, images)" +
                            squares),
    derived("LpNormalization", "n@ = LpNormalization(x@)  c@ = Mul(n@, s@)" + squares),
    derived("LpNormalizationOfSums", "c@ = LpNormalization<axis = 0, p = 1>(x@)" + squares),
    derived("SkipLayerNormalization",
            "t@ = Tanh(x@)  "
            "y@, m@, i@, z@ = com.microsoft.SkipLayerNormalization(x@, t@, s@, b@, b@)"),
    derived("SkipSimplifiedLayerNormalization",
            "t@ = Tanh(x@)  "
            "y@, m@, i@, z@ = com.microsoft.SkipSimplifiedLayerNormalization(x@, t@, s@, b@)"),
    derived("MultiHeadAttention",
            "hh@ = Reshape(x@, tokens)  t@ = Tanh(hh@)  "
            "c@ = com.microsoft.MultiHeadAttention<num_heads = 2, unidirectional = 1>"
            "(hh@, t@, hh@, six, kept)" +
                squares),
    derived("Attention", "hh@ = Reshape(x@, tokens)  "
                         "c@ = com.microsoft.Attention<num_heads = 1>(hh@, weights, six)" +
                             squares),
    derived("AttentionOf23",
            "hh@ = Reshape(x@, tokens)  v@ = Reshape(s@, values)  "
            "c@ = Attention<q_num_heads = 2, kv_num_heads = 1, is_causal = 1, softcap = 2.0>"
            "(hh@, v@, v@, truths)" +
                squares,
            23),
};

/// sum(dy * f) at two points on either side of (x, s, b), and the slope there by the gradient.
std::string modelOf(const Case &one) {
  std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(one.opset);
  text +=
      R"(, "com.microsoft" : 1, "ai.onnx.preview.training" : 1]>
g (double[2,4] x, double[4] s, double[4] b, double[2,4] dy, double[2,4] vx, double[4] vs, double[4] vb)
    => (double up, double down, double slope)
    <int64[1] rows = {0}, int64[1] first = {1}, int64[1] third = {3}, int64[3] picks = {3, 1, 3},
     int64[2,2] pairs = {0, 3, 2, 2}, int64[2,2] places = {0, 3, 1, 2}, int64[4] heads = {2, 1, 2, 2},
     int64[2] square = {2, 2}, int64[4] deep = {2, 4, 1, 1}, int64[4] kernel = {1, 1, 2, 2},
     int64[3] rows_of_four = {2, 1, 4}, int64[3] tokens = {2, 2, 2}, int64[4] moves = {1, 1, 2, 2},
     int64[1] two = {2}, int64[3] values = {2, 2, 1}, int64[2] lengths = {3, 4}, int64[2] images = {1, 0},
     int64[4] area = {2, 1, 3, 2}, bool[4] which = {1, 0, 1, 1}, int64 one = {1}, int64[2] classes = {1, 2},
     float[8] region = {0, 0, 0.1, 0.2, 1, 1, 0.9, 1.3},
     int32[2,2] kept = {1, 1, 1, 0}, bool[1,1,2,2] truths = {1, 1, 0, 1},
     float[4] larger = {1, 1, 2.5, 2}, float[4] twofold = {1, 1, 2, 2}, float[4] smaller = {1, 1, 0.5, 0.75}> {
  h = Constant<value = double {0.0001}>()
  tenth = Constant<value = double {0.1}>()
  points = Constant<value = double[2,1,2,2] {-0.23, 0.31, 0.67, -0.84, 1.42, -0.11, -1.93, 2.37}>()
  regions = Constant<value = double[2,4] {0.2, 0.1, 1.7, 1.5, -0.6, 0.3, 1.1, 2.2}>()
  six = Constant<value = double[6] {0.1, -0.2, 0.3, -0.4, 0.5, 0.6}>()
  weights = Constant<value = double[2,6] {0.3, -0.2, 0.7, 0.4, -0.5, 0.6, -0.1, 0.8, 0.2, -0.9, 0.25, 0.35}>()
  counts = Constant<value = double[4] {0.5, 2, 1, 0.25}>()
  hot = Constant<value = double[2,4] {0, 0, 1, 0, 0.25, 0.75, 0, 0}>()
  hx = Mul(vx, h)  hs = Mul(vs, h)  hb = Mul(vb, h)
  xu = Add(x, hx)  su = Add(s, hs)  bu = Add(b, hb)
  xd = Sub(x, hx)  sd = Sub(s, hs)  bd = Sub(b, hb)
)";
  text += forPoint(one.forward, "u") + "\n" + forPoint(one.forward, "d") + "\n" + one.gradient;
  text += R"(
  pu = Mul(yu, dy)  up = ReduceSum<keepdims = 0>(pu)
  pd = Mul(yd, dy)  down = ReduceSum<keepdims = 0>(pd)
  gx = Mul(dx, vx)  sx = ReduceSum<keepdims = 0>(gx)
)";
  std::string sum = "sx";
  for (std::string part : {"s", "b"}) {
    if (one.gradient.find("d" + part) == std::string::npos)
      continue;
    text += "g" + part + " = Mul(d" + part + ", v" + part + ")  s" + part + part +
            " = ReduceSum<keepdims = 0>(g" + part + ")\n";
    sum += ", s" + part + part;
  }
  return text + "slope = Sum(" + sum + ")\n}";
}

mlir::OwningOpRef<mlir::ModuleOp> importAsProgram(Compiler &compiler, const std::string &text) {
  onnx::ModelProto model;
  auto status = onnx::OnnxParser::Parse(model, text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage() << "\n" << text;
  auto module =
      tutti::frontend::importOnnx("m.onnx", model.SerializeAsString(), &compiler.context());
  if (!module)
    return nullptr;
  module->lookupSymbol<mlir::func::FuncOp>("forward").setName("step");
  for (auto dataset : module->getOps<tutti::train::DatasetOp>())
    dataset.setGlobalBatch(1);
  return module;
}

class FormulaGradient : public testing::TestWithParam<Case> {};

TEST_P(FormulaGradient, IsTheSlope) {
  Compiler compiler;
  auto module = importAsProgram(compiler, modelOf(GetParam()));
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &passes) {
    passes.addNestedPass<mlir::func::FuncOp>(tutti::gradient::createExpandGradientsPass());
    passes.addPass(mlir::createCanonicalizerPass());
  };
  request.optimization = 1;
  auto compiled = tutti::execution::compileProgram(request);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError()) << compiler.diagnostics();
  auto program = LoadedProgram::load(compiled->path());
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  std::vector<std::unique_ptr<Buffer<double>>> memory;
  std::vector<void *> in, out;
  int next = 0;
  for (int64_t size : {8, 4, 4, 8, 8, 4, 4}) {
    memory.push_back(std::make_unique<Buffer<double>>(size));
    double middle = in.size() == 1 ? 2 : 0.5; // s is divided by
    for (int64_t i = 0; i < size; ++i)
      memory.back()->data()[i] = middle + 1.4 * std::sin(1.0 + 2.3 * ++next);
    in.push_back(memory.back()->data());
  }
  for (int i = 0; i < 3; ++i) {
    memory.push_back(std::make_unique<Buffer<double>>(1));
    out.push_back(memory.back()->data());
  }
  llvm::Error error = (*program)->step(in, out);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  auto result = [&](int index) { return *static_cast<double *>(out[index]); };
  double measured = (result(0) - result(1)) / 2e-4;
  EXPECT_NEAR(result(2), measured, 1e-6 * std::max(1.0, std::abs(measured)));
  EXPECT_GT(std::abs(measured), 1e-3) << "nothing would be tested";
}

INSTANTIATE_TEST_SUITE_P(All, FormulaGradient, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
