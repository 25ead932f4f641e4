// Recurrent layers and their gradients parse and print as their documentation shows.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<5x?x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %b: tensor<1x8xf32>, %n: tensor<?xi32>, %h0: tensor<1x?x4xf32>, %v: tensor<1x12x3xf32>, %s: tensor<1x12x4xf32>, %u: tensor<1x16x3xf32>, %t: tensor<1x16x4xf32>, %p: tensor<1x12xf32>) {
  // CHECK: onnx.RNN %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} bias %{{[^ ]+}} from %{{[^ ]+}} :
  // CHECK-SAME: -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
  %0:2 = onnx.RNN %x, %w, %r bias %b from %h0 : (tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x?x4xf32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
  // CHECK: onnx.GRU %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} lengths %{{[^ ]+}} {linear_before_reset = 1 : i64} :
  %1:2 = onnx.GRU %x, %v, %s lengths %n {linear_before_reset = 1 : i64} : (tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<?xi32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
  // CHECK: onnx.LSTM %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} memory %{{[^ ]+}} peepholes %{{[^ ]+}} {direction = "reverse"} :
  // CHECK-SAME: -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>)
  %2:3 = onnx.LSTM %x, %u, %t memory %h0 peepholes %p {direction = "reverse"} : (tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x?x4xf32>, tensor<1x12xf32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>)
  return
}

// CHECK-LABEL: func.func @gradients
func.func @gradients(%dy: tensor<5x1x?x4xf32>, %dh1: tensor<1x?x4xf32>, %x: tensor<5x?x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %v: tensor<1x12x3xf32>, %s: tensor<1x12x4xf32>, %u: tensor<1x16x3xf32>, %t: tensor<1x16x4xf32>) {
  // CHECK: onnx.RNNGrad dY %{{[^ ]+}} of %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} :
  // CHECK-SAME: -> (tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x?x4xf32>)
  %0:5 = onnx.RNNGrad dY %dy of %x, %w, %r : (tensor<5x1x?x4xf32>, tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x?x4xf32>)
  // CHECK: onnx.GRUGrad dY_h %{{[^ ]+}} of
  %1:5 = onnx.GRUGrad dY_h %dh1 of %x, %v, %s {linear_before_reset = 1 : i64} : (tensor<1x?x4xf32>, tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<1x?x4xf32>)
  // CHECK: onnx.LSTMGrad dY %{{[^ ]+}} dY_c %{{[^ ]+}} of
  // CHECK-SAME: -> (tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x12xf32>)
  %2:7 = onnx.LSTMGrad dY %dy dY_c %dh1 of %x, %u, %t : (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>, tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x12xf32>)
  return
}
