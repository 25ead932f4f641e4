// The table. To add an operator that others can express, add a row; docs/frontend.md says how.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/functions/FunctionTable.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tutti::frontend;

static constexpr StringRef kRows[] = {
    // ai.onnx: activations.
    "Mish(X) -> (Y) { Y = X * Tanh(Softplus(X)) }",
    "Swish<alpha = 1.0>(X) -> (Y) { Y = X * Sigmoid(X * @alpha) }",

    // ai.onnx: normalization over the dimensions of a channel or group.
    R"(InstanceNormalization<epsilon = 1e-5>(X, Scale, B) -> (Y) {
         rank = Size(Shape(X))
         wide = tutti.Widen(X)
         D = wide - ReduceMean<noop_with_empty_axes = 1>(wide, Range(2, rank, 1))
         V = ReduceMean<noop_with_empty_axes = 1>(D * D, Range(2, rank, 1))
         N = D / Sqrt(V + CastLike(@epsilon, wide))
         inner = Range(1, rank - 1, 1)
         Y = CastLike(N, X) * Unsqueeze(Scale, inner) + Unsqueeze(B, inner)
       })",
    R"(GroupNormalization<epsilon = 1e-5, num_groups, stash_type = 1>(X, Scale, B) -> (Y)
           when opset >= 21, stash_type = 1 {
         groups = Reshape(tutti.Widen(X), Concat<axis = 0>([0], Unsqueeze(@num_groups, [0]), [-1]))
         D = groups - ReduceMean(groups, [2])
         N = D / Sqrt(ReduceMean(D * D, [2]) + CastLike(@epsilon, groups))
         inner = Range(1, Size(Shape(X)) - 1, 1)
         Y = CastLike(Reshape(N, Shape(X)), X) * Unsqueeze(Scale, inner) + Unsqueeze(B, inner)
       })",
    R"(GroupNormalization<epsilon = 1e-5, num_groups>(X, Scale, B) -> (Y) {
         groups = Reshape(tutti.Widen(X), Concat<axis = 0>([0], Unsqueeze(@num_groups, [0]), [-1]))
         D = groups - ReduceMean(groups, [2])
         N = CastLike(D / Sqrt(ReduceMean(D * D, [2]) + CastLike(@epsilon, groups)), X)
         Y = Reshape(N * Unsqueeze(Scale, [1]) + Unsqueeze(B, [1]), Shape(X))
       })",

    // com.microsoft: what ONNX Runtime fuses in a forward graph.
    R"(com.microsoft.Gelu(X) -> (Y) { Y = Gelu(X) })",
    R"(com.microsoft.BiasGelu(X, B) -> (Y) { Y = Gelu(X + B) })",
    R"(com.microsoft.FastGelu(X) -> (Y) { Y = Gelu<approximate = "tanh">(X) })",
    R"(com.microsoft.FastGelu(X, B) -> (Y) { Y = Gelu<approximate = "tanh">(X + B) })",
    "com.microsoft.QuickGelu<alpha = 1.702>(X) -> (Y) { Y = X * Sigmoid(X * @alpha) }",
    R"(com.microsoft.SkipLayerNormalization<epsilon = 1e-12>(X, skip, gamma, beta) -> (Y, Mean, InvStdDev, S) {
         S = X + skip
         Y, Mean, InvStdDev = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
       })",
    R"(com.microsoft.BiasDropout(X, B, residual, ratio?, training?) -> (Y, mask) {
         D, mask = Dropout(X + B, ratio, training)
         Y = D + residual
       })",
    "com.microsoft.Scale<scale_down = 0>(X, scale) -> (Y) when scale_down = 0 { Y = X * "
    "CastLike(scale, X) }",
    "com.microsoft.Scale<scale_down = 0>(X, scale) -> (Y) when scale_down = 1 { Y = X / "
    "CastLike(scale, X) }",
    R"(com.microsoft.FusedMatMul<alpha = 1.0, transA = 0, transB = 0, transBatchA = 0, transBatchB = 0>(A, B) -> (Y)
           when transA = 0, transB = 0, transBatchA = 0, transBatchB = 0 { Y = MatMul(A, B) * @alpha })",
    R"(com.microsoft.FusedMatMul<alpha = 1.0, transA = 0, transB = 0, transBatchA = 0, transBatchB = 0>(A, B) -> (Y)
           when transA = 1, transB = 0, transBatchA = 0, transBatchB = 0 {
         Y = MatMul(tutti.TransposeLast(A), B) * @alpha
       })",
    R"(com.microsoft.FusedMatMul<alpha = 1.0, transA = 0, transB = 0, transBatchA = 0, transBatchB = 0>(A, B) -> (Y)
           when transA = 0, transB = 1, transBatchA = 0, transBatchB = 0 {
         Y = MatMul(A, tutti.TransposeLast(B)) * @alpha
       })",
    R"(com.microsoft.FusedMatMul<alpha = 1.0, transA = 0, transB = 0, transBatchA = 0, transBatchB = 0>(A, B) -> (Y)
           when transA = 1, transB = 1, transBatchA = 0, transBatchB = 0 {
         Y = MatMul(tutti.TransposeLast(A), tutti.TransposeLast(B)) * @alpha
       })",

    // com.microsoft: gradients.
    "com.microsoft.ReluGrad(dY, X) -> (dX) { dX = ReluGrad(dY, X) }",
    "com.microsoft.SigmoidGrad(dY, Y) -> (dX) { dX = SigmoidGrad(dY, Y) }",
    "com.microsoft.TanhGrad(dY, Y) -> (dX) { dX = TanhGrad(dY, Y) }",
    R"(com.microsoft.GeluGrad(dY, X) -> (dX) {
         cdf = 0.5 * (1.0 + Erf(X * 0.70710678118654752440))
         dX = dY * (cdf + X * Exp(-0.5 * X * X) * 0.39894228040143267794)
       })",
    R"(com.microsoft.FastGeluGrad(dY, X) -> (dX) {
         T = Tanh(0.79788456080286535588 * (X + 0.044715 * X * X * X))
         slope = 0.79788456080286535588 * (1.0 + 0.134145 * X * X)
         dX = dY * 0.5 * (1.0 + T + X * (1.0 - T * T) * slope)
       })",
    R"(com.microsoft.QuickGeluGrad<alpha = 1.702>(dY, X) -> (dX) {
         S = Sigmoid(X * @alpha)
         dX = dY * S * (1.0 + @alpha * X * (1.0 - S))
       })",
    "com.microsoft.BiasGeluGrad_dX(dY, X, B) -> (dX) { dX = com.microsoft.GeluGrad(dY, X + B) }",
    "com.microsoft.BiasFastGeluGrad_dX(dY, X, B) -> (dX) { dX = com.microsoft.FastGeluGrad(dY, X + "
    "B) }",
    R"(com.microsoft.DivGrad(dY, A, B) -> (dA, dB) {
         dA = tutti.SumTo(dY / B, A)
         dB = tutti.SumTo(-(dY * A / (B * B)), B)
       })",
    "com.microsoft.SoftmaxGrad_13<axis = -1>(dY, Y) -> (dX) { dX = SoftmaxGrad<axis = @axis>(dY, "
    "Y) }",
    "com.microsoft.LogSoftmaxGrad_13<axis = -1>(dY, Y) -> (dX) { dX = LogSoftmaxGrad<axis = "
    "@axis>(dY, Y) }",
    R"(com.microsoft.SoftmaxGrad<axis = 1>(dY, Y) -> (dX) {
         dX = Reshape(SoftmaxGrad(Flatten<axis = @axis>(dY), Flatten<axis = @axis>(Y)), Shape(dY))
       })",
    R"(com.microsoft.LogSoftmaxGrad<axis = 1>(dY, Y) -> (dX) {
         dX = Reshape(LogSoftmaxGrad(Flatten<axis = @axis>(dY), Flatten<axis = @axis>(Y)), Shape(dY))
       })",
    R"(com.microsoft.LayerNormalizationGrad<axis = -1>(dY, X, scale, mean, inv) -> (dX, dscale, dbias) {
         rank = Size(Shape(X))
         first = Mod(@axis + rank, rank)
         g = tutti.Widen(dY)
         N = (tutti.Widen(X) - mean) * inv
         h = g * tutti.Widen(scale)
         axes = Range(first, rank, 1)
         dX = CastLike(inv * (h - ReduceMean(h, axes) - N * ReduceMean(h * N, axes)), X)
         outer = Range(0, first, 1)
         dscale = CastLike(ReduceSum<keepdims = 0, noop_with_empty_axes = 1>(g * N, outer), scale)
         dbias = CastLike(ReduceSum<keepdims = 0, noop_with_empty_axes = 1>(g, outer), scale)
       })",
    R"(com.microsoft.SimplifiedLayerNormalizationGrad<axis = -1>(dY, X, scale, inv) -> (dX, dscale) {
         rank = Size(Shape(X))
         first = Mod(@axis + rank, rank)
         g = tutti.Widen(dY)
         N = tutti.Widen(X) * inv
         h = g * tutti.Widen(scale)
         dX = CastLike(inv * (h - N * ReduceMean(h * N, Range(first, rank, 1))), X)
         outer = Range(0, first, 1)
         dscale = CastLike(ReduceSum<keepdims = 0, noop_with_empty_axes = 1>(g * N, outer), scale)
       })",
    R"(com.microsoft.InvertibleLayerNormalizationGrad<axis = -1>(dY, Y, scale, bias, inv) -> (dX, dscale, dbias) {
         rank = Size(Shape(Y))
         first = Mod(@axis + rank, rank)
         g = tutti.Widen(dY)
         N = (tutti.Widen(Y) - tutti.Widen(bias)) / tutti.Widen(scale)
         h = g * tutti.Widen(scale)
         axes = Range(first, rank, 1)
         dX = CastLike(inv * (h - ReduceMean(h, axes) - N * ReduceMean(h * N, axes)), Y)
         outer = Range(0, first, 1)
         dscale = CastLike(ReduceSum<keepdims = 0, noop_with_empty_axes = 1>(g * N, outer), scale)
         dbias = CastLike(ReduceSum<keepdims = 0, noop_with_empty_axes = 1>(g, outer), scale)
       })",
    "com.microsoft.DropoutGrad(dY, mask, ratio?, training?) -> (dX) { dX = DropoutGrad(dY, mask, "
    "ratio, training) }",
    "com.microsoft.ConvGrad<*>(dY, X, W) -> (dX, dW, dB) { dX, dW, dB = ConvGrad<*>(dY, X, W) }",
    R"(com.microsoft.BatchNormalizationGrad<epsilon = 1e-5>(dY, X, scale, mean, inv) -> (dX, dscale, dB) {
         dX, dscale, dB = BatchNormalizationGrad(dY, X, scale, mean, inv, none, none)
       })",
    R"(com.microsoft.BatchNormInternal<epsilon = 1e-5, momentum = 0.9, training_mode = 1>(X, scale, B, mean, var) ->
           (Y, rmean, rvar, smean, sinv) when training_mode = 1 {
         Y, rmean, rvar, smean, sinv =
           BatchNormInternal<epsilon = @epsilon, momentum = @momentum>(X, scale, B, mean, var, none, none)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyLossInternal<*>(scores, labels, weights?) -> (loss, log_prob) {
         loss, log_prob = SoftmaxCrossEntropyLoss<*>(scores, labels, weights)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyLossGrad<*>(dY, log_prob, labels, weights?) -> (d_logits) {
         d_logits = SoftmaxCrossEntropyLossGrad<*>(dY, log_prob, labels, weights)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyLossInternalGrad<*>(dY, log_prob, labels, weights?) -> (d_logits) {
         d_logits = SoftmaxCrossEntropyLossGrad<*>(dY, log_prob, labels, weights)
       })",
    "com.microsoft.ReduceSumTraining<*>(X, axes) -> (Y) { Y = ReduceSum<*>(X, axes) }",

    // com.microsoft: updates.
    "com.microsoft.InPlaceAccumulator(sum, value) -> (total) { total = sum + value }",
    "com.microsoft.SGDOptimizer(ETA, W, G) -> (NW, NG) { NG = -(ETA * G)  NW = W + NG }",
};

ArrayRef<StringRef> tutti::frontend::textsOfFormulas() { return kRows; }

namespace {
/// The rows by operator, read once.
class Table {
public:
  Table() {
    for (StringRef text : kRows) {
      Formula formula = llvm::cantFail(readFormula(text)); // a test reads every row
      rows[key(formula.domain, formula.op)].push_back(std::move(formula));
    }
  }

  ArrayRef<Formula> find(StringRef domain, StringRef op) const {
    auto found = rows.find(key(domain, op));
    return found == rows.end() ? ArrayRef<Formula>() : ArrayRef<Formula>(found->second);
  }

private:
  static std::string key(StringRef domain, StringRef op) {
    return (canonicalDomain(domain) + "." + op).str();
  }

  llvm::StringMap<std::vector<Formula>> rows;
};
} // namespace

static const Table &table() {
  static const Table instance;
  return instance;
}

bool tutti::frontend::hasFormulas(StringRef domain, StringRef op) {
  return !table().find(domain, op).empty();
}

const Formula *tutti::frontend::findFormula(const proto::NodeProto &node, int64_t opset) {
  for (const Formula &formula : table().find(node.domain(), node.op_type()))
    if (formula.isFor(node, opset))
      return &formula;
  return nullptr;
}
