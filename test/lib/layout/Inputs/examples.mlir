// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!v = tensor<12xf32>
!m = tensor<6x12xf32>
!c = tensor<6x12x18xf32>
!n = tensor<6x12xi64>
!b = tensor<6x12xi1>
!s = tensor<f32>

func.func @abs(%0: !m) -> !m {
  %r = onnx.Abs %0 : (!m) -> !m
  return %r : !m
}

func.func @asinh(%0: !m) -> !m {
  %r = onnx.Asinh %0 : (!m) -> !m
  return %r : !m
}

func.func @atan(%0: !m) -> !m {
  %r = onnx.Atan %0 : (!m) -> !m
  return %r : !m
}

func.func @ceil(%0: !m) -> !m {
  %r = onnx.Ceil %0 : (!m) -> !m
  return %r : !m
}

func.func @celu(%0: !m) -> !m {
  %r = onnx.Celu %0 : (!m) -> !m
  return %r : !m
}

func.func @cos(%0: !m) -> !m {
  %r = onnx.Cos %0 : (!m) -> !m
  return %r : !m
}

func.func @cosh(%0: !m) -> !m {
  %r = onnx.Cosh %0 : (!m) -> !m
  return %r : !m
}

func.func @elu(%0: !m) -> !m {
  %r = onnx.Elu %0 : (!m) -> !m
  return %r : !m
}

func.func @erf(%0: !m) -> !m {
  %r = onnx.Erf %0 : (!m) -> !m
  return %r : !m
}

func.func @exp(%0: !m) -> !m {
  %r = onnx.Exp %0 : (!m) -> !m
  return %r : !m
}

func.func @floor(%0: !m) -> !m {
  %r = onnx.Floor %0 : (!m) -> !m
  return %r : !m
}

func.func @gelu(%0: !m) -> !m {
  %r = onnx.Gelu %0 : (!m) -> !m
  return %r : !m
}

func.func @hard_sigmoid(%0: !m) -> !m {
  %r = onnx.HardSigmoid %0 : (!m) -> !m
  return %r : !m
}

func.func @hard_swish(%0: !m) -> !m {
  %r = onnx.HardSwish %0 : (!m) -> !m
  return %r : !m
}

func.func @identity(%0: !m) -> !m {
  %r = onnx.Identity %0 : (!m) -> !m
  return %r : !m
}

func.func @is_inf(%0: !m) -> !b {
  %r = onnx.IsInf %0 : (!m) -> !b
  return %r : !b
}

func.func @is_na_n(%0: !m) -> !b {
  %r = onnx.IsNaN %0 : (!m) -> !b
  return %r : !b
}

func.func @leaky_relu(%0: !m) -> !m {
  %r = onnx.LeakyRelu %0 : (!m) -> !m
  return %r : !m
}

func.func @neg(%0: !m) -> !m {
  %r = onnx.Neg %0 : (!m) -> !m
  return %r : !m
}

func.func @relu(%0: !m) -> !m {
  %r = onnx.Relu %0 : (!m) -> !m
  return %r : !m
}

func.func @round(%0: !m) -> !m {
  %r = onnx.Round %0 : (!m) -> !m
  return %r : !m
}

func.func @selu(%0: !m) -> !m {
  %r = onnx.Selu %0 : (!m) -> !m
  return %r : !m
}

func.func @shrink(%0: !m) -> !m {
  %r = onnx.Shrink %0 : (!m) -> !m
  return %r : !m
}

func.func @sigmoid(%0: !m) -> !m {
  %r = onnx.Sigmoid %0 : (!m) -> !m
  return %r : !m
}

func.func @sign(%0: !m) -> !m {
  %r = onnx.Sign %0 : (!m) -> !m
  return %r : !m
}

func.func @sin(%0: !m) -> !m {
  %r = onnx.Sin %0 : (!m) -> !m
  return %r : !m
}

func.func @sinh(%0: !m) -> !m {
  %r = onnx.Sinh %0 : (!m) -> !m
  return %r : !m
}

func.func @softplus(%0: !m) -> !m {
  %r = onnx.Softplus %0 : (!m) -> !m
  return %r : !m
}

func.func @softsign(%0: !m) -> !m {
  %r = onnx.Softsign %0 : (!m) -> !m
  return %r : !m
}

func.func @tan(%0: !m) -> !m {
  %r = onnx.Tan %0 : (!m) -> !m
  return %r : !m
}

func.func @tanh(%0: !m) -> !m {
  %r = onnx.Tanh %0 : (!m) -> !m
  return %r : !m
}

func.func @thresholded_relu(%0: !m) -> !m {
  %r = onnx.ThresholdedRelu %0 : (!m) -> !m
  return %r : !m
}

func.func @acos(%0: !m {test.low = -1.0, test.high = 1.0}) -> !m {
  %r = onnx.Acos %0 : (!m) -> !m
  return %r : !m
}

func.func @asin(%0: !m {test.low = -1.0, test.high = 1.0}) -> !m {
  %r = onnx.Asin %0 : (!m) -> !m
  return %r : !m
}

func.func @acosh(%0: !m {test.low = 1.0, test.high = 3.0}) -> !m {
  %r = onnx.Acosh %0 : (!m) -> !m
  return %r : !m
}

func.func @atanh(%0: !m {test.low = -0.9, test.high = 0.9}) -> !m {
  %r = onnx.Atanh %0 : (!m) -> !m
  return %r : !m
}

func.func @log(%0: !m {test.low = 0.1, test.high = 2.0}) -> !m {
  %r = onnx.Log %0 : (!m) -> !m
  return %r : !m
}

func.func @sqrt(%0: !m {test.low = 0.0, test.high = 2.0}) -> !m {
  %r = onnx.Sqrt %0 : (!m) -> !m
  return %r : !m
}

func.func @reciprocal(%0: !m {test.low = 0.5, test.high = 2.0}) -> !m {
  %r = onnx.Reciprocal %0 : (!m) -> !m
  return %r : !m
}

func.func @not(%0: !b) -> !b {
  %r = onnx.Not %0 : (!b) -> !b
  return %r : !b
}

func.func @add(%0: !m, %1: !v) -> !m {
  %r = onnx.Add %0, %1 : (!m, !v) -> !m
  return %r : !m
}

func.func @sub(%0: !m, %1: !v) -> !m {
  %r = onnx.Sub %0, %1 : (!m, !v) -> !m
  return %r : !m
}

func.func @mul(%0: !m, %1: !v) -> !m {
  %r = onnx.Mul %0, %1 : (!m, !v) -> !m
  return %r : !m
}

func.func @add_integers(%0: !n, %1: tensor<6x1xi64>) -> !n {
  %r = onnx.Add %0, %1 : (!n, tensor<6x1xi64>) -> !n
  return %r : !n
}

func.func @div(%0: !m, %1: !m {test.low = 0.5, test.high = 2.0}) -> !m {
  %r = onnx.Div %0, %1 : (!m, !m) -> !m
  return %r : !m
}

func.func @div_integers(%0: !n {test.low = -9.0, test.high = 9.0}, %1: !n {test.low = 1.0, test.high = 4.0}) -> !n {
  %r = onnx.Div %0, %1 : (!n, !n) -> !n
  return %r : !n
}

func.func @mod(%0: !n {test.low = -9.0, test.high = 9.0}, %1: !n {test.low = 1.0, test.high = 4.0}) -> !n {
  %r = onnx.Mod %0, %1 : (!n, !n) -> !n
  return %r : !n
}

func.func @pow(%0: !m {test.low = 0.5, test.high = 2.0}, %1: !m) -> !m {
  %r = onnx.Pow %0, %1 : (!m, !m) -> !m
  return %r : !m
}

func.func @prelu(%0: !m, %1: !v) -> !m {
  %r = onnx.PRelu %0, %1 : (!m, !v) -> !m
  return %r : !m
}

func.func @fake_quantize(%0: !m, %1: !s {test.low = 0.1, test.high = 0.2}, %2: !s {test.low = 1.0, test.high = 3.0}) -> !m {
  %r = onnx.FakeQuantize %0, %1, %2 {high = 7.0 : f64, low = -8.0 : f64} : (!m, !s, !s) -> !m
  return %r : !m
}

func.func @clip(%0: !m, %1: !s {test.low = -0.9, test.high = -0.1}, %2: !s {test.low = 0.1, test.high = 0.9}) -> !m {
  %r = onnx.Clip %0 min %1 max %2 : (!m, !s, !s) -> !m
  return %r : !m
}

func.func @sum(%0: !m, %1: !v, %2: !s) -> !m {
  %r = onnx.Sum %0, %1, %2 : (!m, !v, !s) -> !m
  return %r : !m
}

func.func @mean(%0: !m, %1: !v, %2: !s) -> !m {
  %r = onnx.Mean %0, %1, %2 : (!m, !v, !s) -> !m
  return %r : !m
}

func.func @max(%0: !m, %1: !v, %2: !s) -> !m {
  %r = onnx.Max %0, %1, %2 : (!m, !v, !s) -> !m
  return %r : !m
}

func.func @min(%0: !m, %1: !v, %2: !s) -> !m {
  %r = onnx.Min %0, %1, %2 : (!m, !v, !s) -> !m
  return %r : !m
}

func.func @equal(%0: !n {test.high = 3.0}, %1: tensor<12xi64> {test.high = 3.0}) -> !b {
  %r = onnx.Equal %0, %1 : (!n, tensor<12xi64>) -> !b
  return %r : !b
}

func.func @less(%0: !n {test.high = 3.0}, %1: tensor<12xi64> {test.high = 3.0}) -> !b {
  %r = onnx.Less %0, %1 : (!n, tensor<12xi64>) -> !b
  return %r : !b
}

func.func @less_or_equal(%0: !n {test.high = 3.0}, %1: tensor<12xi64> {test.high = 3.0}) -> !b {
  %r = onnx.LessOrEqual %0, %1 : (!n, tensor<12xi64>) -> !b
  return %r : !b
}

func.func @greater(%0: !n {test.high = 3.0}, %1: tensor<12xi64> {test.high = 3.0}) -> !b {
  %r = onnx.Greater %0, %1 : (!n, tensor<12xi64>) -> !b
  return %r : !b
}

func.func @greater_or_equal(%0: !n {test.high = 3.0}, %1: tensor<12xi64> {test.high = 3.0}) -> !b {
  %r = onnx.GreaterOrEqual %0, %1 : (!n, tensor<12xi64>) -> !b
  return %r : !b
}

func.func @and(%0: !b, %1: !b) -> !b {
  %r = onnx.And %0, %1 : (!b, !b) -> !b
  return %r : !b
}

func.func @or(%0: !b, %1: !b) -> !b {
  %r = onnx.Or %0, %1 : (!b, !b) -> !b
  return %r : !b
}

func.func @xor(%0: !b, %1: !b) -> !b {
  %r = onnx.Xor %0, %1 : (!b, !b) -> !b
  return %r : !b
}

func.func @where(%0: !b, %1: !m, %2: !v) -> !m {
  %r = onnx.Where %0, %1, %2 : (!b, !m, !v) -> !m
  return %r : !m
}

func.func @cast(%0: !m) -> tensor<6x12xf64> {
  %r = onnx.Cast %0 {to = f64} : (!m) -> tensor<6x12xf64>
  return %r : tensor<6x12xf64>
}

func.func @cast_integers(%0: !n {test.low = -9.0, test.high = 9.0}) -> !m {
  %r = onnx.Cast %0 {to = f32} : (!n) -> !m
  return %r : !m
}

func.func @cast_to_integers(%0: !m {test.low = -9.0, test.high = 9.0}) -> !n {
  %r = onnx.Cast %0 {to = i64} : (!m) -> !n
  return %r : !n
}

func.func @relu_grad(%0: !m, %1: !m) -> !m {
  %r = onnx.ReluGrad %0, %1 : (!m, !m) -> !m
  return %r : !m
}

func.func @sigmoid_grad(%0: !m, %1: !m) -> !m {
  %r = onnx.SigmoidGrad %0, %1 : (!m, !m) -> !m
  return %r : !m
}

func.func @tanh_grad(%0: !m, %1: !m) -> !m {
  %r = onnx.TanhGrad %0, %1 : (!m, !m) -> !m
  return %r : !m
}

func.func @reduce_sum(%0: !c) -> tensor<12xf32> {
  %r = onnx.ReduceSum %0 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (!c) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @reduce_mean(%0: !c) -> tensor<12xf32> {
  %r = onnx.ReduceMean %0 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (!c) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @reduce_max(%0: !c) -> tensor<12xf32> {
  %r = onnx.ReduceMax %0 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (!c) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @reduce_min(%0: !c) -> tensor<12xf32> {
  %r = onnx.ReduceMin %0 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (!c) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @reduce_prod(%0: !c) -> tensor<12xf32> {
  %r = onnx.ReduceProd %0 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (!c) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @reduce_sum_kept(%0: !c) -> tensor<6x1x18xf32> {
  %r = onnx.ReduceSum %0 {axes = array<i64: -2>} : (!c) -> tensor<6x1x18xf32>
  return %r : tensor<6x1x18xf32>
}

func.func @reduce_mean_all(%0: !c) -> !s {
  %r = onnx.ReduceMean %0 {keepdims = 0 : i64} : (!c) -> !s
  return %r : !s
}

func.func @reduce_sum_grad(%0: tensor<12xf32>, %1: !c) -> !c {
  %r = onnx.ReduceSumGrad %0, %1 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (tensor<12xf32>, !c) -> !c
  return %r : !c
}

func.func @reduce_mean_grad(%0: tensor<12xf32>, %1: !c) -> !c {
  %r = onnx.ReduceMeanGrad %0, %1 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (tensor<12xf32>, !c) -> !c
  return %r : !c
}

func.func @reduce_mean_grad_kept(%0: tensor<6x1xf32>, %1: !m) -> !m {
  %r = onnx.ReduceMeanGrad %0, %1 {axes = array<i64: 1>} : (tensor<6x1xf32>, !m) -> !m
  return %r : !m
}

func.func @arg_max(%0: !m) -> tensor<6xi64> {
  %r = onnx.ArgMax %0 {axis = 1 : i64, keepdims = 0 : i64} : (!m) -> tensor<6xi64>
  return %r : tensor<6xi64>
}

func.func @arg_min(%0: !m) -> tensor<1x12xi64> {
  %r = onnx.ArgMin %0 : (!m) -> tensor<1x12xi64>
  return %r : tensor<1x12xi64>
}

func.func @cum_sum(%0: !c) -> !c {
  %r = onnx.CumSum %0 {axis = 1 : i64} : (!c) -> !c
  return %r : !c
}

func.func @mat_mul(%0: tensor<6x12x18xf32>, %1: tensor<18x6xf32>) -> tensor<6x12x6xf32> {
  %r = onnx.MatMul %0, %1 : (tensor<6x12x18xf32>, tensor<18x6xf32>) -> tensor<6x12x6xf32>
  return %r : tensor<6x12x6xf32>
}

func.func @mat_mul_batches(%0: tensor<6x1x12x18xf32>, %1: tensor<12x18x6xf32>) -> tensor<6x12x12x6xf32> {
  %r = onnx.MatMul %0, %1 : (tensor<6x1x12x18xf32>, tensor<12x18x6xf32>) -> tensor<6x12x12x6xf32>
  return %r : tensor<6x12x12x6xf32>
}

func.func @mat_mul_row(%0: tensor<18xf32>, %1: tensor<6x18x12xf32>) -> tensor<6x12xf32> {
  %r = onnx.MatMul %0, %1 : (tensor<18xf32>, tensor<6x18x12xf32>) -> tensor<6x12xf32>
  return %r : tensor<6x12xf32>
}

func.func @mat_mul_column(%0: tensor<6x12x18xf32>, %1: tensor<18xf32>) -> tensor<6x12xf32> {
  %r = onnx.MatMul %0, %1 : (tensor<6x12x18xf32>, tensor<18xf32>) -> tensor<6x12xf32>
  return %r : tensor<6x12xf32>
}

func.func @mat_mul_vectors(%0: tensor<18xf32>, %1: tensor<18xf32>) -> tensor<f32> {
  %r = onnx.MatMul %0, %1 : (tensor<18xf32>, tensor<18xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func @gemm(%0: tensor<6x12xf32>, %1: tensor<18x12xf32>, %2: tensor<18xf32>) -> tensor<6x18xf32> {
  %r = onnx.Gemm %0, %1, %2 {transB = 1 : i64, alpha = 5.0e-1 : f32, beta = 2.0 : f32} : (tensor<6x12xf32>, tensor<18x12xf32>, tensor<18xf32>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @gemm_transposed(%0: tensor<12x6xf32>, %1: tensor<12x18xf32>, %2: tensor<6x1xf32>) -> tensor<6x18xf32> {
  %r = onnx.Gemm %0, %1, %2 {transA = 1 : i64} : (tensor<12x6xf32>, tensor<12x18xf32>, tensor<6x1xf32>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @gemm_of_two(%0: tensor<6x12xf32>, %1: tensor<12x18xf32>) -> tensor<6x18xf32> {
  %r = onnx.Gemm %0, %1 : (tensor<6x12xf32>, tensor<12x18xf32>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @softmax(%0: !c) -> !c {
  %r = onnx.Softmax %0 {axis = 1 : i64} : (!c) -> !c
  return %r : !c
}

func.func @softmax_grad(%0: !c, %1: !c) -> !c {
  %r = onnx.SoftmaxGrad %0, %1 {axis = 1 : i64} : (!c, !c) -> !c
  return %r : !c
}

func.func @log_softmax(%0: !c) -> !c {
  %r = onnx.LogSoftmax %0 {axis = 1 : i64} : (!c) -> !c
  return %r : !c
}

func.func @log_softmax_grad(%0: !c, %1: !c) -> !c {
  %r = onnx.LogSoftmaxGrad %0, %1 {axis = 1 : i64} : (!c, !c) -> !c
  return %r : !c
}

func.func @loss_none(%0: !c, %1: tensor<6x18xi64> {test.high = 12.0}) -> (tensor<6x18xf32>, !c) {
  %r0, %r1 = onnx.SoftmaxCrossEntropyLoss %0, %1 {reduction = "none"} : (!c, tensor<6x18xi64>) -> (tensor<6x18xf32>, !c)
  return %r0, %r1 : tensor<6x18xf32>, !c
}

func.func @loss_grad_none(%0: tensor<6x18xf32>, %1: !c, %2: tensor<6x18xi64> {test.high = 12.0}) -> !c {
  %r = onnx.SoftmaxCrossEntropyLossGrad %0, %1, %2 {reduction = "none"} : (tensor<6x18xf32>, !c, tensor<6x18xi64>) -> !c
  return %r : !c
}

func.func @loss_sum(%0: !c, %1: tensor<6x18xi64> {test.high = 12.0}) -> (!s, !c) {
  %r0, %r1 = onnx.SoftmaxCrossEntropyLoss %0, %1 {reduction = "sum"} : (!c, tensor<6x18xi64>) -> (!s, !c)
  return %r0, %r1 : !s, !c
}

func.func @loss_grad_sum(%0: !s, %1: !c, %2: tensor<6x18xi64> {test.high = 12.0}) -> !c {
  %r = onnx.SoftmaxCrossEntropyLossGrad %0, %1, %2 {reduction = "sum"} : (!s, !c, tensor<6x18xi64>) -> !c
  return %r : !c
}

func.func @loss_mean(%0: !c, %1: tensor<6x18xi64> {test.high = 12.0}) -> (!s, !c) {
  %r0, %r1 = onnx.SoftmaxCrossEntropyLoss %0, %1 {reduction = "mean"} : (!c, tensor<6x18xi64>) -> (!s, !c)
  return %r0, %r1 : !s, !c
}

func.func @loss_grad_mean(%0: !s, %1: !c, %2: tensor<6x18xi64> {test.high = 12.0}) -> !c {
  %r = onnx.SoftmaxCrossEntropyLossGrad %0, %1, %2 {reduction = "mean"} : (!s, !c, tensor<6x18xi64>) -> !c
  return %r : !c
}

func.func @loss_ignoring_sum(%0: !m, %1: tensor<6xi64> {test.high = 12.0}) -> (!s, !m) {
  %r0, %r1 = onnx.SoftmaxCrossEntropyLoss %0, %1 {ignore_index = 3 : i64, reduction = "sum"} : (!m, tensor<6xi64>) -> (!s, !m)
  return %r0, %r1 : !s, !m
}

func.func @loss_weighted_mean(%0: !m, %1: tensor<6xi64> {test.high = 12.0}, %2: !v {test.low = 0.5, test.high = 2.0}) -> (!s, !m) {
  %r0, %r1 = onnx.SoftmaxCrossEntropyLoss %0, %1, %2 : (!m, tensor<6xi64>, !v) -> (!s, !m)
  return %r0, %r1 : !s, !m
}

func.func @loss_grad_weighted_mean(%0: !s, %1: !m, %2: tensor<6xi64> {test.high = 12.0}, %3: !v {test.low = 0.5, test.high = 2.0}) -> !m {
  %r = onnx.SoftmaxCrossEntropyLossGrad %0, %1, %2, %3 : (!s, !m, tensor<6xi64>, !v) -> !m
  return %r : !m
}

func.func @constant() -> !m {
  %r = onnx.Constant dense<1.0> : !m
  return %r : !m
}

func.func @random_normal() -> !m {
  %r = onnx.RandomNormal {shape = array<i64: 6, 12>} : !m
  return %r : !m
}

func.func @random_uniform() -> !m {
  %r = onnx.RandomUniform {shape = array<i64: 6, 12>} : !m
  return %r : !m
}

func.func @random_normal_like(%0: !m) -> !m {
  %r = onnx.RandomNormalLike %0 {mean = 2.0 : f32, scale = 0.0 : f32} : (!m) -> !m
  return %r : !m
}

func.func @random_uniform_like(%0: !m) -> !m {
  %r = onnx.RandomUniformLike %0 {low = 3.0 : f32, high = 3.0 : f32} : (!m) -> !m
  return %r : !m
}

func.func @flatten(%0: !c) -> tensor<72x18xf32> {
  %r = onnx.Flatten %0 {axis = 2 : i64} : (!c) -> tensor<72x18xf32>
  return %r : tensor<72x18xf32>
}

func.func @reshape(%0: !m) -> tensor<6x6x2xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: 0, 6, -1>} : (!m) -> tensor<6x6x2xf32>
  return %r : tensor<6x6x2xf32>
}

func.func @reshape_across(%0: tensor<6x4xf32>) -> tensor<12x2xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: 12, 2>} : (tensor<6x4xf32>) -> tensor<12x2xf32>
  return %r : tensor<12x2xf32>
}

func.func @reshape_apart(%0: tensor<6x2x3xf32>) -> tensor<6x3x2xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: 6, 3, 2>} : (tensor<6x2x3xf32>) -> tensor<6x3x2xf32>
  return %r : tensor<6x3x2xf32>
}

func.func @reshape_heads(%0: tensor<6x12x36xf32>) -> tensor<72x6x6xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: -1, 6, 6>} : (tensor<6x12x36xf32>) -> tensor<72x6x6xf32>
  return %r : tensor<72x6x6xf32>
}

func.func @transpose(%0: !c) -> tensor<18x6x12xf32> {
  %r = onnx.Transpose %0 {perm = array<i64: 2, 0, 1>} : (!c) -> tensor<18x6x12xf32>
  return %r : tensor<18x6x12xf32>
}

func.func @squeeze(%0: tensor<6x1x12xf32>) -> !m {
  %r = onnx.Squeeze %0 {axes = array<i64: 1>} : (tensor<6x1x12xf32>) -> !m
  return %r : !m
}

func.func @unsqueeze(%0: !m) -> tensor<6x1x12xf32> {
  %r = onnx.Unsqueeze %0 {axes = array<i64: 1>} : (!m) -> tensor<6x1x12xf32>
  return %r : tensor<6x1x12xf32>
}

func.func @expand(%0: tensor<6x1xf32>) -> tensor<18x6x12xf32> {
  %r = onnx.Expand %0 {shape = array<i64: 18, 6, 12>} : (tensor<6x1xf32>) -> tensor<18x6x12xf32>
  return %r : tensor<18x6x12xf32>
}

func.func @expand_square(%0: tensor<1x1xf32>, %1: tensor<6x3xf32>) -> tensor<6x6xf32> {
  %r = onnx.Expand %0 like %1 {shape = array<i64: -1, -1>} : (tensor<1x1xf32>, tensor<6x3xf32>) -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

func.func @expand_like(%0: tensor<1x12xf32>, %1: tensor<6x3xf32>) -> !m {
  %r = onnx.Expand %0 like %1 {shape = array<i64: -1, 12>} : (tensor<1x12xf32>, tensor<6x3xf32>) -> !m
  return %r : !m
}

func.func @gather(%0: tensor<6x12x18xf32>, %1: tensor<6x3xi64> {test.high = 12.0}) -> tensor<6x6x3x18xf32> {
  %r = onnx.Gather %0, %1 {axis = 1 : i64} : (tensor<6x12x18xf32>, tensor<6x3xi64>) -> tensor<6x6x3x18xf32>
  return %r : tensor<6x6x3x18xf32>
}

func.func @gather_rows(%0: tensor<12x18xf32>, %1: tensor<6xi64> {test.high = 12.0}) -> tensor<6x18xf32> {
  %r = onnx.Gather %0, %1 : (tensor<12x18xf32>, tensor<6xi64>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @concat(%0: !m, %1: !m) -> tensor<6x24xf32> {
  %r = onnx.Concat %0, %1 {axis = 1 : i64} : (!m, !m) -> tensor<6x24xf32>
  return %r : tensor<6x24xf32>
}

func.func @concat_one(%0: !m) -> !m {
  %r = onnx.Concat %0 {axis = 1 : i64} : (!m) -> !m
  return %r : !m
}

func.func @split(%0: !m) -> (tensor<6x4xf32>, tensor<6x8xf32>) {
  %r0, %r1 = onnx.Split %0 {axis = 1 : i64, split = array<i64: 4, 8>} : (!m) -> (tensor<6x4xf32>, tensor<6x8xf32>)
  return %r0, %r1 : tensor<6x4xf32>, tensor<6x8xf32>
}

func.func @split_one(%0: !m) -> !m {
  %r = onnx.Split %0 {axis = 1 : i64, split = array<i64: 12>} : (!m) -> !m
  return %r : !m
}

func.func @slice(%0: !c) -> tensor<6x6x18xf32> {
  %r = onnx.Slice %0 {axes = array<i64: 1, 2>, starts = array<i64: 0, 0>, ends = array<i64: 6, 9223372036854775807>} : (!c) -> tensor<6x6x18xf32>
  return %r : tensor<6x6x18xf32>
}

func.func @slice_one(%0: !m) -> tensor<6x1xf32> {
  %r = onnx.Slice %0 {axes = array<i64: 1>, starts = array<i64: -1>, ends = array<i64: 9223372036854775807>} : (!m) -> tensor<6x1xf32>
  return %r : tensor<6x1xf32>
}

func.func @slice_backwards(%0: !m) -> !m {
  %r = onnx.Slice %0 {axes = array<i64: 1>, starts = array<i64: -1>, ends = array<i64: -9223372036854775807>, steps = array<i64: -1>} : (!m) -> !m
  return %r : !m
}

func.func @slice_grad(%0: tensor<6x6xf32>, %1: !m) -> !m {
  %r = onnx.SliceGrad %0, %1 {axes = array<i64: 1>, starts = array<i64: 2>, ends = array<i64: 8>} : (tensor<6x6xf32>, !m) -> !m
  return %r : !m
}

func.func @pad(%0: !m) -> tensor<6x15xf32> {
  %r = onnx.Pad %0 {pads = array<i64: 0, 1, 0, 2>} : (!m) -> tensor<6x15xf32>
  return %r : tensor<6x15xf32>
}

func.func @pad_with_ones(%0: !m) -> tensor<6x15xf32> {
  %r = onnx.Pad %0 {pads = array<i64: 0, 1, 0, 2>, value = 1.0 : f64} : (!m) -> tensor<6x15xf32>
  return %r : tensor<6x15xf32>
}

func.func @trilu(%0: !c) -> !c {
  %r = onnx.Trilu %0 {k = 1 : i64} : (!c) -> !c
  return %r : !c
}

func.func @gather_elements(%0: !c, %1: tensor<6x6x18xi64> {test.high = 12.0}) -> tensor<6x6x18xf32> {
  %r = onnx.GatherElements %0, %1 {axis = 1 : i64} : (!c, tensor<6x6x18xi64>) -> tensor<6x6x18xf32>
  return %r : tensor<6x6x18xf32>
}

func.func @gather_elements_of_fewer(%0: !m, %1: tensor<3x6xi64> {test.high = 12.0}) -> tensor<3x6xf32> {
  %r = onnx.GatherElements %0, %1 {axis = 1 : i64} : (!m, tensor<3x6xi64>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

func.func @scatter_elements(%0: !m, %1: tensor<6x1xi64> {test.high = 12.0}, %2: tensor<6x1xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64} : (!m, tensor<6x1xi64>, tensor<6x1xf32>) -> !m
  return %r : !m
}

func.func @scatter_elements_added(%0: !m, %1: tensor<6x6xi64> {test.high = 12.0}, %2: tensor<6x6xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64, reduction = "add"} : (!m, tensor<6x6xi64>, tensor<6x6xf32>) -> !m
  return %r : !m
}

func.func @scatter_elements_multiplied(%0: !m, %1: tensor<6x1xi64> {test.high = 12.0}, %2: tensor<6x1xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64, reduction = "mul"} : (!m, tensor<6x1xi64>, tensor<6x1xf32>) -> !m
  return %r : !m
}

func.func @scatter_elements_largest(%0: !m, %1: tensor<6x6xi64> {test.high = 12.0}, %2: tensor<6x6xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64, reduction = "max"} : (!m, tensor<6x6xi64>, tensor<6x6xf32>) -> !m
  return %r : !m
}

func.func @scatter_nd_smallest(%0: tensor<6x8x12xf32>, %1: tensor<6x18x1xi64> {test.high = 8.0}, %2: tensor<6x18x12xf32>) -> tensor<6x8x12xf32> {
  %r = onnx.ScatterND %0, %1, %2 {batch_dims = 1 : i64, reduction = "min"} : (tensor<6x8x12xf32>, tensor<6x18x1xi64>, tensor<6x18x12xf32>) -> tensor<6x8x12xf32>
  return %r : tensor<6x8x12xf32>
}

func.func @top_k(%0: tensor<6x6x12xf32>) -> (tensor<6x3x12xf32>, tensor<6x3x12xi64>) {
  %r0, %r1 = onnx.TopK %0 {axis = 1 : i64, k = 3 : i64} : (tensor<6x6x12xf32>) -> (tensor<6x3x12xf32>, tensor<6x3x12xi64>)
  return %r0, %r1 : tensor<6x3x12xf32>, tensor<6x3x12xi64>
}

func.func @top_k_of_all(%0: tensor<6x4x6xf32>) -> (tensor<6x4x6xf32>, tensor<6x4x6xi64>) {
  %r0, %r1 = onnx.TopK %0 {axis = 1 : i64, k = -1 : i64} : (tensor<6x4x6xf32>) -> (tensor<6x4x6xf32>, tensor<6x4x6xi64>)
  return %r0, %r1 : tensor<6x4x6xf32>, tensor<6x4x6xi64>
}

func.func @gather_nd(%0: tensor<6x4x5x12xf32>, %1: tensor<6x18x2xi64> {test.high = 4.0}) -> tensor<6x18x12xf32> {
  %r = onnx.GatherND %0, %1 {batch_dims = 1 : i64} : (tensor<6x4x5x12xf32>, tensor<6x18x2xi64>) -> tensor<6x18x12xf32>
  return %r : tensor<6x18x12xf32>
}

func.func @scatter_nd(%0: tensor<8x12xf32>, %1: tensor<3x1xi64> {test.high = 8.0}, %2: tensor<3x12xf32>) -> tensor<8x12xf32> {
  %r = onnx.ScatterND %0, %1, %2 : (tensor<8x12xf32>, tensor<3x1xi64>, tensor<3x12xf32>) -> tensor<8x12xf32>
  return %r : tensor<8x12xf32>
}

func.func @scatter_nd_added(%0: tensor<6x8x12xf32>, %1: tensor<6x18x1xi64> {test.high = 8.0}, %2: tensor<6x18x12xf32>) -> tensor<6x8x12xf32> {
  %r = onnx.ScatterND %0, %1, %2 {batch_dims = 1 : i64, reduction = "add"} : (tensor<6x8x12xf32>, tensor<6x18x1xi64>, tensor<6x18x12xf32>) -> tensor<6x8x12xf32>
  return %r : tensor<6x8x12xf32>
}

func.func @conv(%0: tensor<6x6x8x8xf32>, %1: tensor<12x6x3x3xf32>, %2: tensor<12xf32>) -> tensor<6x12x8x8xf32> {
  %r = onnx.Conv %0, %1, %2 {pads = array<i64: 1, 1, 1, 1>} : (tensor<6x6x8x8xf32>, tensor<12x6x3x3xf32>, tensor<12xf32>) -> tensor<6x12x8x8xf32>
  return %r : tensor<6x12x8x8xf32>
}

func.func @conv_of_points(%0: tensor<6x6x6x12xf32>, %1: tensor<12x6x1x1xf32>) -> tensor<6x12x6x12xf32> {
  %r = onnx.Conv %0, %1 : (tensor<6x6x6x12xf32>, tensor<12x6x1x1xf32>) -> tensor<6x12x6x12xf32>
  return %r : tensor<6x12x6x12xf32>
}

func.func @conv_in_groups(%0: tensor<6x12x6x6xf32>, %1: tensor<18x2x3x3xf32>, %2: tensor<18xf32>) -> tensor<6x18x4x4xf32> {
  %r = onnx.Conv %0, %1, %2 {group = 6 : i64} : (tensor<6x12x6x6xf32>, tensor<18x2x3x3xf32>, tensor<18xf32>) -> tensor<6x18x4x4xf32>
  return %r : tensor<6x18x4x4xf32>
}

func.func @conv_by_channel(%0: tensor<6x12x6x6xf32>, %1: tensor<12x1x3x3xf32>) -> tensor<6x12x4x4xf32> {
  %r = onnx.Conv %0, %1 {group = 12 : i64} : (tensor<6x12x6x6xf32>, tensor<12x1x3x3xf32>) -> tensor<6x12x4x4xf32>
  return %r : tensor<6x12x4x4xf32>
}

func.func @conv_of_all(%0: tensor<6x6x4x4xf32>, %1: tensor<12x6x4x4xf32>) -> tensor<6x12x1x1xf32> {
  %r = onnx.Conv %0, %1 : (tensor<6x6x4x4xf32>, tensor<12x6x4x4xf32>) -> tensor<6x12x1x1xf32>
  return %r : tensor<6x12x1x1xf32>
}

func.func @conv_grad(%0: tensor<6x12x8x8xf32>, %1: tensor<6x6x8x8xf32>, %2: tensor<12x6x3x3xf32>) -> (tensor<6x6x8x8xf32>, tensor<12x6x3x3xf32>, tensor<12xf32>) {
  %r0, %r1, %r2 = onnx.ConvGrad %0, %1, %2 {pads = array<i64: 1, 1, 1, 1>} : (tensor<6x12x8x8xf32>, tensor<6x6x8x8xf32>, tensor<12x6x3x3xf32>) -> (tensor<6x6x8x8xf32>, tensor<12x6x3x3xf32>, tensor<12xf32>)
  return %r0, %r1, %r2 : tensor<6x6x8x8xf32>, tensor<12x6x3x3xf32>, tensor<12xf32>
}

func.func @conv_grad_of_points(%0: tensor<6x12x6x6xf32>, %1: tensor<6x6x6x6xf32>, %2: tensor<12x6x1x1xf32>) -> (tensor<6x6x6x6xf32>, tensor<12x6x1x1xf32>, tensor<12xf32>) {
  %r0, %r1, %r2 = onnx.ConvGrad %0, %1, %2 : (tensor<6x12x6x6xf32>, tensor<6x6x6x6xf32>, tensor<12x6x1x1xf32>) -> (tensor<6x6x6x6xf32>, tensor<12x6x1x1xf32>, tensor<12xf32>)
  return %r0, %r1, %r2 : tensor<6x6x6x6xf32>, tensor<12x6x1x1xf32>, tensor<12xf32>
}

func.func @conv_grad_in_groups(%0: tensor<6x18x4x4xf32>, %1: tensor<6x12x6x6xf32>, %2: tensor<18x2x3x3xf32>) -> (tensor<6x12x6x6xf32>, tensor<18x2x3x3xf32>, tensor<18xf32>) {
  %r0, %r1, %r2 = onnx.ConvGrad %0, %1, %2 {group = 6 : i64} : (tensor<6x18x4x4xf32>, tensor<6x12x6x6xf32>, tensor<18x2x3x3xf32>) -> (tensor<6x12x6x6xf32>, tensor<18x2x3x3xf32>, tensor<18xf32>)
  return %r0, %r1, %r2 : tensor<6x12x6x6xf32>, tensor<18x2x3x3xf32>, tensor<18xf32>
}

func.func @max_pool(%0: tensor<6x6x8x8xf32>) -> tensor<6x6x7x7xf32> {
  %r = onnx.MaxPool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<6x6x8x8xf32>) -> tensor<6x6x7x7xf32>
  return %r : tensor<6x6x7x7xf32>
}

func.func @max_pool_grad(%0: tensor<6x6x7x7xf32>, %1: tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xf32> {
  %r = onnx.MaxPoolGrad %0, %1 {kernel_shape = array<i64: 2, 2>} : (tensor<6x6x7x7xf32>, tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xf32>
  return %r : tensor<6x6x8x8xf32>
}

func.func @average_pool(%0: tensor<6x6x8x8xf32>) -> tensor<6x6x7x7xf32> {
  %r = onnx.AveragePool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<6x6x8x8xf32>) -> tensor<6x6x7x7xf32>
  return %r : tensor<6x6x7x7xf32>
}

func.func @average_pool_with_holes(%0: tensor<6x6x8x8xf32>) -> tensor<6x6x6x6xf32> {
  %r = onnx.AveragePool %0 {dilations = array<i64: 2, 2>, kernel_shape = array<i64: 2, 2>} : (tensor<6x6x8x8xf32>) -> tensor<6x6x6x6xf32>
  return %r : tensor<6x6x6x6xf32>
}

func.func @average_pool_grad(%0: tensor<6x6x7x7xf32>, %1: tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xf32> {
  %r = onnx.AveragePoolGrad %0, %1 {kernel_shape = array<i64: 2, 2>} : (tensor<6x6x7x7xf32>, tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xf32>
  return %r : tensor<6x6x8x8xf32>
}

func.func @global_average_pool(%0: tensor<6x6x6x12xf32>) -> tensor<6x6x1x1xf32> {
  %r = onnx.GlobalAveragePool %0 : (tensor<6x6x6x12xf32>) -> tensor<6x6x1x1xf32>
  return %r : tensor<6x6x1x1xf32>
}

func.func @batch_normalization(%0: tensor<6x12x6xf32>, %1: tensor<12xf32>, %2: tensor<12xf32>, %3: tensor<12xf32>, %4: tensor<12xf32> {test.low = 0.5, test.high = 2.0}) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0, %r1, %r2 = onnx.BatchNormalization %0, %1, %2, %3, %4 : (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>)
  return %r0, %r1, %r2 : tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>
}

func.func @batch_normalization_in_training(%0: tensor<6x12x6xf32>, %1: tensor<12xf32>, %2: tensor<12xf32>, %3: tensor<12xf32>, %4: tensor<12xf32> {test.low = 0.5, test.high = 2.0}) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0, %r1, %r2 = onnx.BatchNormalization %0, %1, %2, %3, %4 {training_mode = 1 : i64} : (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>)
  return %r0, %r1, %r2 : tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>
}

func.func @batch_norm_internal(%0: tensor<6x12x6xf32>, %1: tensor<12xf32>, %2: tensor<12xf32>, %3: tensor<12xf32>, %4: tensor<12xf32> {test.low = 0.5, test.high = 2.0}) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0, %r1, %r2, %r3, %r4 = onnx.BatchNormInternal %0, %1, %2, %3, %4 : (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

func.func @batch_norm_internal_given(%0: tensor<6x12x6xf32>, %1: tensor<12xf32>, %2: tensor<12xf32>, %3: tensor<12xf32>, %4: tensor<12xf32> {test.low = 0.5, test.high = 2.0}, %5: tensor<12xf32>, %6: tensor<12xf32> {test.low = 0.5, test.high = 2.0}) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0, %r1, %r2, %r3, %r4 = onnx.BatchNormInternal %0, %1, %2, %3, %4 mean %5 variance %6 : (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

func.func @batch_normalization_grad(%0: tensor<6x12x6xf32>, %1: tensor<6x12x6xf32>, %2: tensor<12xf32>, %3: tensor<12xf32>, %4: tensor<12xf32> {test.low = 0.5, test.high = 2.0}) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0, %r1, %r2 = onnx.BatchNormalizationGrad %0, %1, %2, %3, %4 : (tensor<6x12x6xf32>, tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>)
  return %r0, %r1, %r2 : tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>
}

func.func @batch_normalization_grad_given(%0: tensor<6x12x6xf32>, %1: tensor<6x12x6xf32>, %2: tensor<12xf32>, %3: tensor<12xf32>, %4: tensor<12xf32> {test.low = 0.5, test.high = 2.0}, %5: tensor<12xf32>, %6: tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0, %r1, %r2 = onnx.BatchNormalizationGrad %0, %1, %2, %3, %4 mean %5 covariance %6 : (tensor<6x12x6xf32>, tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>)
  return %r0, %r1, %r2 : tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>
}

func.func @batch_mean(%0: tensor<6x12x6xf32>) -> tensor<12xf32> {
  %r = onnx.BatchMean %0 : (tensor<6x12x6xf32>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @batch_variance(%0: tensor<6x12x6xf32>, %1: tensor<12xf32>) -> tensor<12xf32> {
  %r = onnx.BatchVariance %0, %1 : (tensor<6x12x6xf32>, tensor<12xf32>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @batch_covariance(%0: tensor<6x12x6xf32>, %1: tensor<6x12x6xf32>, %2: tensor<12xf32>, %3: tensor<12xf32> {test.low = 0.5, test.high = 2.0}) -> tensor<12xf32> {
  %r = onnx.BatchCovariance %0, %1, %2, %3 : (tensor<6x12x6xf32>, tensor<6x12x6xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @dropout(%0: !m) -> (!m, !b) {
  %r0, %r1 = onnx.Dropout %0 : (!m) -> (!m, !b)
  return %r0, %r1 : !m, !b
}

func.func @dropout_grad(%0: !m, %1: !b, %2: !s {test.low = 0.1, test.high = 0.2}) -> !m {
  %r = onnx.DropoutGrad %0, %1 ratio %2 : (!m, !b, !s) -> !m
  return %r : !m
}

func.func @rnn(%0: tensor<4x6x3xf32>, %1: tensor<2x2x3xf32>, %2: tensor<2x2x2xf32>, %3: tensor<2x4xf32>, %4: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %5: tensor<2x6x2xf32>) -> (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>) {
  %r:2 = onnx.RNN %0, %1, %2 bias %3 lengths %4 from %5 {direction = "bidirectional"} : (tensor<4x6x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6xi32>, tensor<2x6x2xf32>) -> (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>)
  return %r#0, %r#1 : tensor<4x2x6x2xf32>, tensor<2x6x2xf32>
}

func.func @rnn_batch_first(%0: tensor<6x4x3xf32>, %1: tensor<2x2x3xf32>, %2: tensor<2x2x2xf32>, %3: tensor<2x4xf32>, %4: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %5: tensor<6x2x2xf32>) -> (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>) {
  %r:2 = onnx.RNN %0, %1, %2 bias %3 lengths %4 from %5 {direction = "bidirectional", layout = 1 : i64} : (tensor<6x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6xi32>, tensor<6x2x2xf32>) -> (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>)
  return %r#0, %r#1 : tensor<6x4x2x2xf32>, tensor<6x2x2xf32>
}

func.func @rnn_grad(%0: tensor<4x2x6x2xf32>, %1: tensor<2x6x2xf32>, %2: tensor<4x6x3xf32>, %3: tensor<2x2x3xf32>, %4: tensor<2x2x2xf32>, %5: tensor<2x4xf32>, %6: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %7: tensor<2x6x2xf32>) -> (tensor<4x6x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<2x6x2xf32>) {
  %r:5 = onnx.RNNGrad dY %0 dY_h %1 of %2, %3, %4 bias %5 lengths %6 from %7 {direction = "bidirectional"} : (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>, tensor<4x6x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6xi32>, tensor<2x6x2xf32>) -> (tensor<4x6x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<2x6x2xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<4x6x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<2x6x2xf32>
}

func.func @rnn_grad_batch_first(%0: tensor<6x4x2x2xf32>, %1: tensor<6x2x2xf32>, %2: tensor<6x4x3xf32>, %3: tensor<2x2x3xf32>, %4: tensor<2x2x2xf32>, %5: tensor<2x4xf32>, %6: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %7: tensor<6x2x2xf32>) -> (tensor<6x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6x2x2xf32>) {
  %r:5 = onnx.RNNGrad dY %0 dY_h %1 of %2, %3, %4 bias %5 lengths %6 from %7 {direction = "bidirectional", layout = 1 : i64} : (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>, tensor<6x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6xi32>, tensor<6x2x2xf32>) -> (tensor<6x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6x2x2xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<6x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>, tensor<6x2x2xf32>
}

func.func @gru(%0: tensor<4x6x3xf32>, %1: tensor<2x6x3xf32>, %2: tensor<2x6x2xf32>, %3: tensor<2x12xf32>, %4: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %5: tensor<2x6x2xf32>) -> (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>) {
  %r:2 = onnx.GRU %0, %1, %2 bias %3 lengths %4 from %5 {direction = "bidirectional"} : (tensor<4x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6xi32>, tensor<2x6x2xf32>) -> (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>)
  return %r#0, %r#1 : tensor<4x2x6x2xf32>, tensor<2x6x2xf32>
}

func.func @gru_batch_first(%0: tensor<6x4x3xf32>, %1: tensor<2x6x3xf32>, %2: tensor<2x6x2xf32>, %3: tensor<2x12xf32>, %4: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %5: tensor<6x2x2xf32>) -> (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>) {
  %r:2 = onnx.GRU %0, %1, %2 bias %3 lengths %4 from %5 {direction = "bidirectional", layout = 1 : i64, linear_before_reset = 1 : i64} : (tensor<6x4x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6xi32>, tensor<6x2x2xf32>) -> (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>)
  return %r#0, %r#1 : tensor<6x4x2x2xf32>, tensor<6x2x2xf32>
}

func.func @gru_grad(%0: tensor<4x2x6x2xf32>, %1: tensor<2x6x2xf32>, %2: tensor<4x6x3xf32>, %3: tensor<2x6x3xf32>, %4: tensor<2x6x2xf32>, %5: tensor<2x12xf32>, %6: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %7: tensor<2x6x2xf32>) -> (tensor<4x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<2x6x2xf32>) {
  %r:5 = onnx.GRUGrad dY %0 dY_h %1 of %2, %3, %4 bias %5 lengths %6 from %7 {direction = "bidirectional"} : (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>, tensor<4x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6xi32>, tensor<2x6x2xf32>) -> (tensor<4x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<2x6x2xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<4x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<2x6x2xf32>
}

func.func @gru_grad_batch_first(%0: tensor<6x4x2x2xf32>, %1: tensor<6x2x2xf32>, %2: tensor<6x4x3xf32>, %3: tensor<2x6x3xf32>, %4: tensor<2x6x2xf32>, %5: tensor<2x12xf32>, %6: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %7: tensor<6x2x2xf32>) -> (tensor<6x4x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6x2x2xf32>) {
  %r:5 = onnx.GRUGrad dY %0 dY_h %1 of %2, %3, %4 bias %5 lengths %6 from %7 {direction = "bidirectional", layout = 1 : i64, linear_before_reset = 1 : i64} : (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>, tensor<6x4x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6xi32>, tensor<6x2x2xf32>) -> (tensor<6x4x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6x2x2xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<6x4x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<6x2x2xf32>
}

func.func @lstm(%0: tensor<4x6x3xf32>, %1: tensor<2x8x3xf32>, %2: tensor<2x8x2xf32>, %3: tensor<2x16xf32>, %4: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %5: tensor<2x6x2xf32>, %6: tensor<2x6x2xf32>, %7: tensor<2x6xf32>) -> (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>) {
  %r:3 = onnx.LSTM %0, %1, %2 bias %3 lengths %4 from %5 memory %6 peepholes %7 {direction = "bidirectional"} : (tensor<4x6x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6xi32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6xf32>) -> (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<4x2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>
}

func.func @lstm_batch_first(%0: tensor<6x4x3xf32>, %1: tensor<2x8x3xf32>, %2: tensor<2x8x2xf32>, %3: tensor<2x16xf32>, %4: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %5: tensor<6x2x2xf32>, %6: tensor<6x2x2xf32>, %7: tensor<2x6xf32>) -> (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>) {
  %r:3 = onnx.LSTM %0, %1, %2 bias %3 lengths %4 from %5 memory %6 peepholes %7 {direction = "bidirectional", layout = 1 : i64} : (tensor<6x4x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6xi32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>, tensor<2x6xf32>) -> (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<6x4x2x2xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>
}

func.func @lstm_grad(%0: tensor<4x2x6x2xf32>, %1: tensor<2x6x2xf32>, %2: tensor<2x6x2xf32>, %3: tensor<4x6x3xf32>, %4: tensor<2x8x3xf32>, %5: tensor<2x8x2xf32>, %6: tensor<2x16xf32>, %7: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %8: tensor<2x6x2xf32>, %9: tensor<2x6x2xf32>, %10: tensor<2x6xf32>) -> (tensor<4x6x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6xf32>) {
  %r:7 = onnx.LSTMGrad dY %0 dY_h %1 dY_c %2 of %3, %4, %5 bias %6 lengths %7 from %8 memory %9 peepholes %10 {direction = "bidirectional"} : (tensor<4x2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<4x6x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6xi32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6xf32>) -> (tensor<4x6x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<4x6x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6xf32>
}

func.func @lstm_grad_batch_first(%0: tensor<6x4x2x2xf32>, %1: tensor<6x2x2xf32>, %2: tensor<6x2x2xf32>, %3: tensor<6x4x3xf32>, %4: tensor<2x8x3xf32>, %5: tensor<2x8x2xf32>, %6: tensor<2x16xf32>, %7: tensor<6xi32> {test.low = 1.0, test.high = 5.0}, %8: tensor<6x2x2xf32>, %9: tensor<6x2x2xf32>, %10: tensor<2x6xf32>) -> (tensor<6x4x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>, tensor<2x6xf32>) {
  %r:7 = onnx.LSTMGrad dY %0 dY_h %1 dY_c %2 of %3, %4, %5 bias %6 lengths %7 from %8 memory %9 peepholes %10 {direction = "bidirectional", layout = 1 : i64} : (tensor<6x4x2x2xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>, tensor<6x4x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6xi32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>, tensor<2x6xf32>) -> (tensor<6x4x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>, tensor<2x6xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<6x4x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<6x2x2xf32>, tensor<6x2x2xf32>, tensor<2x6xf32>
}

// Operations of train that stand on one device as well.

func.func @mark_gradient(%0: !m) -> !m {
  %r = train.mark_gradient %0 : !m
  return %r : !m
}

func.func @full_like(%0: !m) -> !m {
  %r = train.full_like %0, 2.0 : !m
  return %r : !m
}

func.func @scale(%0: !m, %1: !s) -> !m {
  %r = train.scale %0 by %1 : !m, !s
  return %r : !m
}

func.func @accuracy(%0: !m, %1: tensor<6xi64> {test.high = 12.0}) -> tensor<6xf32> {
  %r = train.accuracy %0, %1 : !m, tensor<6xi64> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @unscale(%0: !m, %1: !s {test.low = 1.0, test.high = 2.0}) -> !m {
  %r = train.unscale %0 by %1 : !m
  return %r : !m
}

func.func @all_finite(%0: !m, %1: !v) -> tensor<i1> {
  %r = train.all_finite %0, %1 : !m, !v
  return %r : tensor<i1>
}

func.func @global_norm(%0: !m, %1: !v) -> !s {
  %r = train.global_norm %0, %1 : !m, !v
  return %r : !s
}

func.func @sum_of_squares(%0: !m, %1: !v) -> !s {
  %r = train.sum_of_squares %0, %1 : !m, !v
  return %r : !s
}

func.func @clip_norm(%0: !m, %1: !s {test.low = 1.0, test.high = 2.0}) -> !m {
  %r = train.clip %0 norm %1 {max_norm = 1.0 : f32} : !m
  return %r : !m
}

func.func @select(%0: tensor<i1>, %1: !m, %2: !m) -> !m {
  %r = train.select %0, %1, %2 : !m
  return %r : !m
}

func.func @sgd(%0: !m, %1: !m, %2: !s) -> !m {
  %r = train.sgd %0 gradient %1 rate %2 : !m, !s
  return %r : !m
}

func.func @momentum(%0: !m, %1: !m, %2: !m, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.momentum %0 gradient %1 velocity %2 rate %3 {alpha = 9.0e-1 : f32} : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @rowwise_adagrad(%0: !m, %1: !m, %2: tensor<6xf32> {test.low = 0.5}, %3: !s) -> (!m, tensor<6xf32>) {
  %r0, %r1 = train.rowwise_adagrad %0 gradient %1 accumulator %2 rate %3 : !m, tensor<6xf32>, !s
  return %r0, %r1 : !m, tensor<6xf32>
}

func.func @adam(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.adam %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @lamb(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.lamb %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @nadam(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.nadam %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @rmsprop(%0: !m, %1: !m, %2: !m {test.low = 0.5}, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.rmsprop %0 gradient %1 average %2 rate %3 : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @rmsprop_momentum(%0: !m, %1: !m, %2: !m {test.low = 0.5}, %3: !m, %4: !s) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.rmsprop_momentum %0 gradient %1 average %2 velocity %3 rate %4 {momentum = 9.0e-1 : f32} : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @lion(%0: !m, %1: !m, %2: !m, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.lion %0 gradient %1 moment %2 rate %3 : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @scatter_rows(%0: tensor<6xi64> {test.high = 12.0}, %1: tensor<6x6xf32>) -> tensor<12x6xf32> {
  %r = train.scatter_rows %0, %1 : tensor<6xi64>, tensor<6x6xf32> -> tensor<12x6xf32>
  return %r : tensor<12x6xf32>
}

func.func @gather_rows_of_table(%0: tensor<12x6xf32>, %1: tensor<6xi64> {test.high = 12.0}) -> tensor<6x6xf32> {
  %r = train.gather_rows %0 at %1 : tensor<12x6xf32>, tensor<6xi64> -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

func.func @zero_batch(%0: !m) -> tensor<6x18xf32> {
  %r = train.zero_batch like %0 : !m -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @adagrad(%0: !m, %1: !m, %2: !m {test.low = 0.5}, %3: !s) -> (!m, !m) {
  %r0, %r1 = train.adagrad %0 gradient %1 accumulator %2 rate %3 : !m, !s
  return %r0, %r1 : !m, !m
}

func.func @adamw(%0: !m, %1: !m, %2: !m, %3: !m {test.low = 0.5}, %4: !s, %5: tensor<i64> {test.low = 3.0, test.high = 4.0}) -> (!m, !m, !m) {
  %r0, %r1, %r2 = train.adamw %0 gradient %1 moments %2, %3 rate %4 step %5 : !m, !s
  return %r0, %r1, %r2 : !m, !m, !m
}

func.func @update_loss_scale(%0: !s {test.low = 1.0, test.high = 2.0}, %1: tensor<i64>, %2: tensor<i1>) -> (!s, tensor<i64>) {
  %r0, %r1 = train.update_loss_scale %0 tracker %1 finite %2 {growth_interval = 2000 : i64}
  return %r0, %r1 : !s, tensor<i64>
}

func.func @merge_rows(%0: tensor<6xi64> {test.high = 12.0}, %1: tensor<6x6xf32>, %2: !s {test.low = 1.0, test.high = 4.0}) -> (tensor<6xi64>, tensor<6x6xf32>) {
  %r0, %r1 = train.merge_rows %0, %1 of 12 over %2 : tensor<6xi64>, tensor<6x6xf32>, !s -> tensor<6xi64>, tensor<6x6xf32>
  return %r0, %r1 : tensor<6xi64>, tensor<6x6xf32>
}

func.func @scatter_update_rows(%0: tensor<6x6xf32>, %1: tensor<6xi64> {test.high = 12.0}, %2: tensor<12x6xf32>) -> tensor<12x6xf32> {
  %r = train.scatter_update_rows %0 at %1 into %2 : tensor<6x6xf32>, tensor<6xi64>, tensor<12x6xf32>
  return %r : tensor<12x6xf32>
}

func.func @micro_batch(%0: index, %1: !m) -> tensor<3x12xf32> {
  %r = train.micro_batch %0 of 2 in %1 : !m -> tensor<3x12xf32>
  return %r : tensor<3x12xf32>
}

func.func @put_micro_batch(%0: tensor<3x12xf32>, %1: !m, %2: index) -> !m {
  %r = train.put_micro_batch %0 into %1 at %2 of 2 : tensor<3x12xf32> into !m
  return %r : !m
}

// Operations on the parts of a batch, as they are on one device.

train.dataset @data {global_batch = 12 : i64}

func.func @batch_weight() -> !s {
  %r = train.batch_weight @data : !s
  return %r : !s
}

func.func @batch_total(%0: !m) -> !m {
  %r = train.batch_total %0 : !m
  return %r : !m
}

func.func @batch_share(%0: !m) -> !m {
  %r = train.batch_share %0 : !m
  return %r : !m
}

func.func @batch_sum(%0: !m) -> !m {
  %r = train.batch_sum %0 : !m
  return %r : !m
}

func.func @batch_gather(%0: tensor<?x12xf32>) -> tensor<?x12xf32> {
  %r = train.batch_gather %0 : tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

func.func @batch_piece(%0: tensor<12x?xf32>) -> tensor<12x?xf32> {
  %r = train.batch_piece %0 {axis = 1 : i64} : tensor<12x?xf32>
  return %r : tensor<12x?xf32>
}

func.func @batch_scatter(%0: tensor<?x12xf32>) -> tensor<?x12xf32> {
  %r = train.batch_scatter %0 : tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

func.func @piece(%0: index, %1: index {test.low = 3.0, test.high = 4.0}, %2: !m) -> tensor<2x12xf32> {
  %r = train.piece %0 of %1 in %2 along 0 : !m -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

// Operations of MLIR: elementwise ones, what cuts and reshapes tensors, and loop nests.

func.func @arith_addf(%0: !m, %1: !m) -> !m {
  %r = arith.addf %0, %1 : !m
  return %r : !m
}

func.func @arith_subf(%0: !m, %1: !m) -> !m {
  %r = arith.subf %0, %1 : !m
  return %r : !m
}

func.func @arith_mulf(%0: !m, %1: !m) -> !m {
  %r = arith.mulf %0, %1 : !m
  return %r : !m
}

func.func @arith_maximumf(%0: !m, %1: !m) -> !m {
  %r = arith.maximumf %0, %1 : !m
  return %r : !m
}

func.func @arith_divf(%0: !m, %1: !m {test.low = 1.0, test.high = 2.0}) -> !m {
  %r = arith.divf %0, %1 : !m
  return %r : !m
}

func.func @arith_negf(%0: !m) -> !m {
  %r = arith.negf %0 : !m
  return %r : !m
}

func.func @arith_select(%0: !b, %1: !m, %2: !m) -> !m {
  %r = arith.select %0, %1, %2 : !b, !m
  return %r : !m
}

func.func @arith_extf(%0: !m) -> tensor<6x12xf64> {
  %r = arith.extf %0 : !m to tensor<6x12xf64>
  return %r : tensor<6x12xf64>
}

func.func @arith_sitofp(%0: !n) -> !m {
  %r = arith.sitofp %0 : !n to !m
  return %r : !m
}

func.func @arith_muli(%0: !n, %1: !n) -> !n {
  %r = arith.muli %0, %1 : !n
  return %r : !n
}

func.func @math_exp(%0: !m) -> !m {
  %r = math.exp %0 : !m
  return %r : !m
}

func.func @tensor_dim(%0: !m) -> index {
  %c = arith.constant 0 : index
  %r = tensor.dim %0, %c : !m
  return %r : index
}

func.func @tensor_from_elements(%0: f32, %1: f32) -> tensor<2xf32> {
  %r = tensor.from_elements %0, %1 : tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @tensor_extract(%0: !m, %1: index, %2: index) -> f32 {
  %r = tensor.extract %0[%1, %2] : !m
  return %r : f32
}

func.func @tensor_insert(%0: f32, %1: !m, %2: index, %3: index) -> !m {
  %r = tensor.insert %0 into %1[%2, %3] : !m
  return %r : !m
}

func.func @tensor_splat(%0: f32) -> !m {
  %r = tensor.splat %0 : !m
  return %r : !m
}

func.func @tensor_cast(%0: !m) -> !m {
  %r = tensor.cast %0 : !m to !m
  return %r : !m
}

func.func @tensor_collapse_shape(%0: !c) -> tensor<72x18xf32> {
  %r = tensor.collapse_shape %0 [[0, 1], [2]] : !c into tensor<72x18xf32>
  return %r : tensor<72x18xf32>
}

func.func @tensor_expand_shape(%0: tensor<72x18xf32>) -> !c {
  %r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [6, 12, 18] : tensor<72x18xf32> into !c
  return %r : !c
}

func.func @tensor_extract_slice(%0: !m) -> tensor<2x12xf32> {
  %r = tensor.extract_slice %0[2, 0] [2, 12] [1, 1] : !m to tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

func.func @linalg_matmul(%0: !m, %1: tensor<12x18xf32>, %2: tensor<6x18xf32>) -> tensor<6x18xf32> {
  %r = linalg.matmul ins(%0, %1 : !m, tensor<12x18xf32>) outs(%2 : tensor<6x18xf32>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @linalg_transpose(%0: !m, %1: tensor<12x6xf32>) -> tensor<12x6xf32> {
  %r = linalg.transpose ins(%0 : !m) outs(%1 : tensor<12x6xf32>) permutation = [1, 0]
  return %r : tensor<12x6xf32>
}

func.func @linalg_reduce_sum(%0: !m, %1: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.reduce { arith.addf } ins(%0 : !m) outs(%1 : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

func.func @linalg_reduce_most(%0: !m, %1: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.reduce { arith.maximumf } ins(%0 : !m) outs(%1 : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

func.func @linalg_reduce_product(%0: !m, %1: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.reduce { arith.mulf } ins(%0 : !m) outs(%1 : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

func.func @collective_flatten(%0: !m) -> tensor<80xf32> {
  %r = collective.flatten %0 : !m -> tensor<80xf32>
  return %r : tensor<80xf32>
}

func.func @collective_unflatten(%0: tensor<80xf32>) -> !m {
  %r = collective.unflatten %0 : tensor<80xf32> -> !m
  return %r : !m
}
