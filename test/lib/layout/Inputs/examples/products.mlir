// Reductions, products of matrices, softmax and losses.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!v = tensor<12xf32>
!m = tensor<6x12xf32>
!c = tensor<6x12x18xf32>
!s = tensor<f32>

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
