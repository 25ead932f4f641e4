// Layers of neural networks, and their gradients.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!m = tensor<6x12xf32>
!b = tensor<6x12xi1>
!s = tensor<f32>

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
