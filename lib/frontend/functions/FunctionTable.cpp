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

    // ai.onnx: a norm of 1, or 0 where all is 0.
    R"(LpNormalization<axis = -1, p = 2>(X) -> (Y) when p = 2 {
         norm = ReduceL2(X, Unsqueeze(@axis, [0]))
         Y = X / Where(Equal(norm, 0.0), 1.0, norm)
       })",
    R"(LpNormalization<axis = -1, p = 2>(X) -> (Y) when p = 1 {
         norm = ReduceL1(X, Unsqueeze(@axis, [0]))
         Y = X / Where(Equal(norm, 0.0), 1.0, norm)
       })",

    // ai.onnx: parts of images, and what is the largest.
    R"(DepthToSpace<blocksize = 0, mode = "DCR">(X) -> (Y) when mode = "DCR" {
         b = Unsqueeze(@blocksize, [0])
         depth = Gather(Shape(X), [1]) / (b * b)
         parts = Reshape(X, Concat<axis = 0>([0], b, b, depth, Gather(Shape(X), [2, 3])))
         Y = Reshape(Transpose<perm = [0, 3, 4, 1, 5, 2]>(parts),
                     Concat<axis = 0>([0], depth, Gather(Shape(X), [2, 3]) * b))
       })",
    R"(DepthToSpace<blocksize = 0, mode = "DCR">(X) -> (Y) when mode = "CRD" {
         b = Unsqueeze(@blocksize, [0])
         depth = Gather(Shape(X), [1]) / (b * b)
         parts = Reshape(X, Concat<axis = 0>([0], depth, b, b, Gather(Shape(X), [2, 3])))
         Y = Reshape(Transpose<perm = [0, 1, 4, 2, 5, 3]>(parts),
                     Concat<axis = 0>([0], depth, Gather(Shape(X), [2, 3]) * b))
       })",
    R"(SpaceToDepth<blocksize = 0>(X) -> (Y) {
         b = Unsqueeze(@blocksize, [0])
         rows = Gather(Shape(X), [2]) / b
         columns = Gather(Shape(X), [3]) / b
         parts = Reshape(X, Concat<axis = 0>([0], Gather(Shape(X), [1]), rows, b, columns, b))
         Y = Reshape(Transpose<perm = [0, 3, 5, 1, 2, 4]>(parts),
                     Concat<axis = 0>([0], Gather(Shape(X), [1]) * b * b, rows, columns))
       })",
    R"(Hardmax<axis = -1>(X) -> (Y) when opset >= 13 {
         places = ArgMax<axis = @axis, keepdims = 0>(X)
         Y = OneHot<axis = @axis>(places, Gather(Shape(X), @axis), CastLike([0, 1], X))
       })",
    R"(Hardmax<axis = 1>(X) -> (Y) {
         rows = Flatten<axis = @axis>(X)
         places = ArgMax<axis = 1, keepdims = 0>(rows)
         Y = Reshape(OneHot(places, Gather(Shape(rows), 1), CastLike([0, 1], X)), Shape(X))
       })",

    // ai.onnx: what it had before operator set 10 for images.
    R"(ImageScaler<bias = [0.0], scale = 1.0>(X) -> (Y) { Y = X * @scale + Unsqueeze(@bias, [1, 2]) })",
    "Affine<alpha = 1.0, beta = 0.0>(X) -> (Y) { Y = X * @alpha + @beta }",
    R"(Crop<border = [0, 0, 0, 0], scale = [0, 0]>(X) -> (Y) {
         first = Gather(@border, [1, 0])
         rest = Gather(Shape(X), [2, 3]) - Gather(@border, [3, 2])
         Y = Slice(X, first, Where(Equal(@scale, [0, 0]), rest, first + @scale), [2, 3])
       })",

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
    R"(com.microsoft.SkipLayerNormalization<epsilon = 1e-12>(X, skip, gamma, beta, bias) -> (Y, Mean, InvStdDev, S) {
         S = X + skip + bias
         Y, Mean, InvStdDev = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
       })",
    R"(com.microsoft.SkipLayerNormalization<epsilon = 1e-12>(X, skip, gamma) -> (Y, Mean, InvStdDev, S) {
         S = X + skip
         Y, Mean, InvStdDev = LayerNormalization<epsilon = @epsilon>(S, gamma)
       })",
    R"(com.microsoft.SkipSimplifiedLayerNormalization<epsilon = 1e-12>(X, skip, gamma, bias) -> (Y, Mean, InvStdDev, S) {
         S = X + skip + bias
         Mean = ReduceMean(tutti.Widen(S), [-1])
         Y, InvStdDev = SimplifiedLayerNormalization<epsilon = @epsilon>(S, gamma)
       })",
    R"(com.microsoft.SkipSimplifiedLayerNormalization<epsilon = 1e-12>(X, skip, gamma) -> (Y, Mean, InvStdDev, S) {
         S = X + skip
         Mean = ReduceMean(tutti.Widen(S), [-1])
         Y, InvStdDev = SimplifiedLayerNormalization<epsilon = @epsilon>(S, gamma)
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments, words, places, kinds, gamma, beta, mask, at) -> (Y, mask_index, S) {
         S = Gather(words, ids) + Gather(places, at) + Gather(kinds, segments)
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(mask), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments, words, places, kinds, gamma, beta, mask?, at) -> (Y, mask_index, S) {
         S = Gather(words, ids) + Gather(places, at) + Gather(kinds, segments)
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(ids - ids), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments?, words, places, kinds?, gamma, beta, mask, at) -> (Y, mask_index, S) {
         S = Gather(words, ids) + Gather(places, at)
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(mask), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments?, words, places, kinds?, gamma, beta, mask?, at) -> (Y, mask_index, S) {
         S = Gather(words, ids) + Gather(places, at)
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(ids - ids), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments, words, places, kinds, gamma, beta, mask) -> (Y, mask_index, S) {
         length = Gather(Shape(ids), 1)
         S = Gather(words, ids) + Gather(places, Range(0, length, 1)) + Gather(kinds, segments)
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(mask), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments, words, places, kinds, gamma, beta, mask?) -> (Y, mask_index, S) {
         length = Gather(Shape(ids), 1)
         S = Gather(words, ids) + Gather(places, Range(0, length, 1)) + Gather(kinds, segments)
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(ids - ids), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments?, words, places, kinds?, gamma, beta, mask) -> (Y, mask_index, S) {
         length = Gather(Shape(ids), 1)
         S = Gather(words, ids) + Gather(places, Range(0, length, 1))
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(mask), [1]))
       })",
    R"(com.microsoft.EmbedLayerNormalization<epsilon = 1e-12, mask_index_type = 0>(ids, segments?, words, places, kinds?, gamma, beta, mask?) -> (Y, mask_index, S) {
         length = Gather(Shape(ids), 1)
         S = Gather(words, ids) + Gather(places, Range(0, length, 1))
         Y = LayerNormalization<epsilon = @epsilon>(S, gamma, beta)
         mask_index = Cast<to = 6>(ReduceSum<keepdims = 0>(Cast<to = 1>(ids - ids), [1]))
       })",
    R"(com.microsoft.MultiHeadAttention<num_heads, mask_filter_value = -10000.0, scale = 0.0, unidirectional = 0>
           (query, key, value, bias?, mask?, more?, past_key?, past_value?) -> (Y, K, V) {
         Y, K, V = tutti.Attend<num_heads = @num_heads, filter = @mask_filter_value, scale = @scale, causal = @unidirectional>
             (query, key, value, mask, more, past_key, past_value, bias)
       })",
    R"(com.microsoft.Attention<num_heads, mask_filter_value = -10000.0, scale = 0.0, unidirectional = 0>
           (X, W, B, mask?, past?, more?) -> (Y, present) {
         q, k, v = Split<axis = 2>(MatMul(X, W) + B)
         Y, K, V = tutti.Attend<num_heads = @num_heads, filter = @mask_filter_value, scale = @scale, causal = @unidirectional>
             (q, k, v, mask, more, past)
         present = Concat<axis = 0>(Unsqueeze(K, [0]), Unsqueeze(V, [0]))
       })",
    R"(com.microsoft.Attention<num_heads, qkv_hidden_sizes, mask_filter_value = -10000.0, scale = 0.0, unidirectional = 0>
           (X, W, B, mask?, past?, more?) -> (Y) {
         q, k, v = Split<axis = 2, split = @qkv_hidden_sizes>(MatMul(X, W) + B)
         Y, K, V = tutti.Attend<num_heads = @num_heads, filter = @mask_filter_value, scale = @scale, causal = @unidirectional>
             (q, k, v, mask, more, past)
       })",
    "com.microsoft.QuantizeLinear<*>(X, scale, zero?) -> (Y) { Y = QuantizeLinear<*>(X, scale, "
    "zero) }",
    "com.microsoft.DequantizeLinear<*>(X, scale, zero?) -> (Y) { Y = DequantizeLinear<*>(X, scale, "
    "zero) }",
    R"(com.microsoft.RotaryEmbedding<interleaved = 0, num_heads = 0, rotary_embedding_dim = 0, scale = 1.0, is_packed_batching = 0>
           (X, places, cosines, sines) -> (Y) {
         Y = RotaryEmbedding<interleaved = @interleaved, num_heads = @num_heads, rotary_embedding_dim = @rotary_embedding_dim>
             (X, cosines, sines, places)
       })",
    R"(com.microsoft.BiasDropout(X, B, residual, ratio?, training?) -> (Y, mask) {
         D, mask = Dropout(X + B, ratio, training)
         Y = D + residual
       })",
    R"(com.microsoft.BiasDropout(X, B, residual?, ratio?, training?) -> (Y, mask) {
         Y, mask = Dropout(X + B, ratio, training)
       })",
    // The mask as truths, not as bits of words: only BitmaskDropoutGrad reads it.
    R"(com.microsoft.BitmaskDropout(X, ratio?, training?) -> (Y, mask) {
         Y, mask = Dropout(X, ratio, training)
       })",
    R"(com.microsoft.BitmaskBiasDropout(X, B, residual, ratio?, training?) -> (Y, mask) {
         D, mask = Dropout(X + B, ratio, training)
         Y = D + residual
       })",
    R"(com.microsoft.BitmaskBiasDropout(X, B, residual?, ratio?, training?) -> (Y, mask) {
         Y, mask = Dropout(X + B, ratio, training)
       })",
    R"(com.microsoft.Scale<scale_down = 0>(X, scale) -> (Y) when scale_down = 0 {
         Y = X * CastLike(scale, X)
       })",
    R"(com.microsoft.Scale<scale_down = 0>(X, scale) -> (Y) when scale_down = 1 {
         Y = X / CastLike(scale, X)
       })",
    R"(com.microsoft.ScaledSum<scale_0 = 1.0, scale_1 = 1.0, scale_2 = 1.0>(A, B, C) -> (Y) {
         Y = A * @scale_0 + B * @scale_1 + C * @scale_2
       })",
    R"(com.microsoft.ScaledSum<scale_0 = 1.0, scale_1 = 1.0>(A, B) -> (Y) {
         Y = A * @scale_0 + B * @scale_1
       })",
    R"(com.microsoft.BatchScale<scale_0 = 1.0, scale_1 = 1.0, scale_2 = 1.0>(X) -> (A, B, C) {
         A = X * @scale_0
         B = X * @scale_1
         C = X * @scale_2
       })",
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
    R"(com.microsoft.LeakyReluGrad<alpha = 0.01>(dY, Y) -> (dX) {
         dX = Where(Greater(Y, 0.0), dY, dY * @alpha)
       })",
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
    R"(com.microsoft.BiasFastGeluGrad_dX(dY, X, B) -> (dX) {
         dX = com.microsoft.FastGeluGrad(dY, X + B)
       })",
    R"(com.microsoft.DivGrad(dY, A, B) -> (dA, dB) {
         dA = tutti.SumTo(dY / B, A)
         dB = tutti.SumTo(-(dY * A / (B * B)), B)
       })",
    R"(com.microsoft.SoftmaxGrad_13<axis = -1>(dY, Y) -> (dX) {
         dX = SoftmaxGrad<axis = @axis>(dY, Y)
       })",
    R"(com.microsoft.LogSoftmaxGrad_13<axis = -1>(dY, Y) -> (dX) {
         dX = LogSoftmaxGrad<axis = @axis>(dY, Y)
       })",
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
    R"(com.microsoft.DropoutGrad(dY, mask, ratio?, training?) -> (dX) {
         dX = DropoutGrad(dY, mask, ratio, training)
       })",
    R"(com.microsoft.BitmaskDropoutGrad(dY, mask, ratio?, training?) -> (dX) {
         dX = DropoutGrad(dY, mask, ratio, training)
       })",
    "com.microsoft.ConvGrad<*>(dY, X, W) -> (dX, dW, dB) { dX, dW, dB = ConvGrad<*>(dY, X, W) }",
    R"(com.microsoft.BatchNormalizationGrad<epsilon = 1e-5>(dY, X, scale, mean, inv) -> (dX, dscale, dB) {
         dX, dscale, dB = BatchNormalizationGrad(dY, X, scale, mean, inv, none, none)
       })",
    R"(com.microsoft.BatchNormInternal<epsilon = 1e-5, momentum = 0.9, training_mode = 1>(X, scale, B, mean, var) ->
           (Y, rmean, rvar, smean, sinv) when training_mode = 1 {
         Y, rmean, rvar, smean, sinv =
           BatchNormInternal<epsilon = @epsilon, momentum = @momentum>(X, scale, B, mean, var, none, none)
       })",
    R"(com.microsoft.SoftmaxDropoutGrad<axis = -1>(dY, Y, mask, ratio?, training?) -> (dX) {
         dX = SoftmaxGrad<axis = @axis>(DropoutGrad(dY, mask, ratio, training), Y)
       })",

    // com.microsoft: losses.
    R"(com.microsoft.SoftmaxCrossEntropyLossInternal<*>(scores, labels, weights?, ignored?) -> (loss, log_prob) {
         loss, log_prob = SoftmaxCrossEntropyLoss<*>(scores, labels, weights, ignored)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyLossGrad<*>(dY, log_prob, labels, weights?) -> (d_logits) {
         d_logits = SoftmaxCrossEntropyLossGrad<*>(dY, log_prob, labels, weights)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyLossInternalGrad<*>(dY, log_prob, labels, weights?, ignored?) -> (d_logits) {
         d_logits = SoftmaxCrossEntropyLossGrad<*>(dY, log_prob, labels, weights, ignored)
       })",
    R"(com.microsoft.NegativeLogLikelihoodLossInternal<*>(input, labels, weights?) -> (loss) {
         loss = NegativeLogLikelihoodLoss<*>(input, labels, weights)
       })",
    R"(com.microsoft.SoftmaxCrossEntropy<reduction = "mean">(logits, label) -> (Y, log_prob) when reduction = "mean" {
         log_prob = LogSoftmax(logits)
         Y = -ReduceMean<keepdims = 0>(ReduceSum<keepdims = 0>(label * log_prob, [-1]))
       })",
    R"(com.microsoft.SoftmaxCrossEntropy<reduction = "mean">(logits, label) -> (Y, log_prob) when reduction = "sum" {
         log_prob = LogSoftmax(logits)
         Y = -ReduceSum<keepdims = 0>(label * log_prob)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyGrad<reduction = "mean">(dY, log_prob, label) -> (dX) when reduction = "mean" {
         each = ReduceMeanGrad<keepdims = 0>(dY, ReduceSum<keepdims = 0>(label, [-1]))
         dX = Unsqueeze(each, [-1]) * (Exp(log_prob) - label)
       })",
    R"(com.microsoft.SoftmaxCrossEntropyGrad<reduction = "mean">(dY, log_prob, label) -> (dX) when reduction = "sum" {
         dX = dY * (Exp(log_prob) - label)
       })",

    // org.pytorch.aten: what ORTModule of ONNX Runtime leaves to PyTorch.
    R"(org.pytorch.aten.ATen<operator = "", overload_name = "">(weight, indices, padding?, by_frequency?, sparse?) -> (Y)
       when operator = "embedding" {
         Y = tutti.Embedding(weight, indices, padding, by_frequency)
       })",

    // com.microsoft: shapes and indices.
    "com.microsoft.ReduceSumTraining<*>(X, axes) -> (Y) { Y = ReduceSum<*>(X, axes) }",
    R"(com.microsoft.ConcatTraining<axis = 0>(X...) -> (Y, lengths) {
         Y = Concat<axis = @axis>(X...)
         lengths = tutti.SizesAlong<axis = @axis>(X...)
       })",
    "com.microsoft.SplitTraining<*>(X, lengths) -> (Y...) { Y... = Split<*>(X, lengths) }",
    R"(com.microsoft.SliceGrad(dY, shape, starts, ends, axes?, steps?) -> (dX) {
         dX = SliceGrad(dY, Expand(CastLike(0.0, dY), shape), starts, ends, axes, steps)
       })",
    R"(com.microsoft.GatherGrad<axis = 0>(shape, indices, dY) -> (dX) {
         dX = tutti.ScatterRows<axis = @axis>(shape, indices, dY)
       })",
    R"(com.microsoft.GatherElementsGrad<axis = 0>(dY, shape, indices) -> (dX) {
         zeros = Expand(CastLike(0.0, dY), shape)
         dX = ScatterElements<axis = @axis, reduction = "add">(zeros, indices, dY)
       })",
    R"(com.microsoft.GatherNDGrad<batch_dims = 0>(shape, indices, dY) -> (dX) {
         zeros = Expand(CastLike(0.0, dY), shape)
         dX = ScatterND<batch_dims = @batch_dims, reduction = "add">(zeros, indices, dY)
       })",
    R"(com.microsoft.BroadcastGradientArgs(a_shape, b_shape) -> (a_axes, b_axes) {
         a_axes = tutti.RepeatedAxes(a_shape, b_shape)
         b_axes = tutti.RepeatedAxes(b_shape, a_shape)
       })",
    "com.microsoft.PassThrough(X...) -> (Y...) { Y... = tutti.Same(X...) }",
    "com.microsoft.Group(X...) -> (done) { done = Equal([0], [0]) }",
    "com.microsoft.IsFinite(X) -> (Y) { Y = Not(Or(IsInf(X), IsNaN(X))) }",
    "com.microsoft.All(X) -> (Y) { Y = Cast<to = 9>(ReduceMin<keepdims = 0>(Cast<to = 1>(X))) }",
    "com.microsoft.ReduceAllL2(X...) -> (norm) { norm = Sqrt(tutti.SumOfSquares(X...)) }",

    // com.microsoft: on 8-bit numbers, what the operator gives for the floats that they stand for.
    R"(com.microsoft.QLinearAdd(A, a_scale, a_zero, B, b_scale, b_zero, c_scale, c_zero) -> (C) {
         C = QuantizeLinear(DequantizeLinear(A, a_scale, a_zero) + DequantizeLinear(B, b_scale, b_zero), c_scale, c_zero)
       })",
    R"(com.microsoft.QLinearMul(A, a_scale, a_zero, B, b_scale, b_zero, c_scale, c_zero) -> (C) {
         C = QuantizeLinear(DequantizeLinear(A, a_scale, a_zero) * DequantizeLinear(B, b_scale, b_zero), c_scale, c_zero)
       })",
    R"(com.microsoft.QLinearSigmoid(X, x_scale, x_zero, y_scale, y_zero) -> (Y) {
         Y = QuantizeLinear(Sigmoid(DequantizeLinear(X, x_scale, x_zero)), y_scale, y_zero)
       })",
    R"(com.microsoft.QLinearLeakyRelu<alpha = 0.01>(X, x_scale, x_zero, y_scale, y_zero) -> (Y) {
         Y = QuantizeLinear(LeakyRelu<alpha = @alpha>(DequantizeLinear(X, x_scale, x_zero)), y_scale, y_zero)
       })",
    R"(com.microsoft.QLinearAveragePool<*>(X, x_scale, x_zero, y_scale, y_zero) -> (Y) {
         Y = QuantizeLinear(AveragePool<*>(DequantizeLinear(X, x_scale, x_zero)), y_scale, y_zero)
       })",
    R"(com.microsoft.QLinearSoftmax<axis = -1, opset>(X, x_scale, x_zero, y_scale, y_zero) -> (Y) when axis = -1 {
         Y = QuantizeLinear(Softmax<axis = -1>(DequantizeLinear(X, x_scale, x_zero)), y_scale, y_zero)
       })",

    // com.microsoft: updates.
    "com.microsoft.InPlaceAccumulator(sum, value) -> (total) { total = sum + value }",
    R"(com.microsoft.ZeroGradient(old, reset) -> (zero) {
         zero = Expand(CastLike(0.0, old), Shape(old))
       })",
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
