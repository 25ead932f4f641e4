// Elementwise operators, and their gradients.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!v = tensor<12xf32>
!m = tensor<6x12xf32>
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
