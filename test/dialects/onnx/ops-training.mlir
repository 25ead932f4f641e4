// Gradients parse and print as their documentation shows.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @relu_grad
func.func @relu_grad(%dy: tensor<?x10xf32>, %y: tensor<?x10xf32>) {
  // CHECK: onnx.ReluGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.ReluGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @sigmoid_grad
func.func @sigmoid_grad(%dy: tensor<?x10xf32>, %y: tensor<?x10xf32>) {
  // CHECK: onnx.SigmoidGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.SigmoidGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @tanh_grad
func.func @tanh_grad(%dy: tensor<?x10xf32>, %y: tensor<?x10xf32>) {
  // CHECK: onnx.TanhGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.TanhGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @softmax_grad
func.func @softmax_grad(%dy: tensor<?x10xf32>, %y: tensor<?x10xf32>) {
  // CHECK: onnx.SoftmaxGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.SoftmaxGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @log_softmax_grad
func.func @log_softmax_grad(%dy: tensor<?x10xf32>, %y: tensor<?x10xf32>) {
  // CHECK: onnx.LogSoftmaxGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.LogSoftmaxGrad %dy, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @softmax_cross_entropy_loss_grad
func.func @softmax_cross_entropy_loss_grad(%dy: tensor<f32>, %log_prob: tensor<?x10xf32>, %label: tensor<?xi64>) {
  // CHECK: onnx.SoftmaxCrossEntropyLossGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<f32>, tensor<?x10xf32>, tensor<?xi64>) -> tensor<?x10xf32>
  %dx = onnx.SoftmaxCrossEntropyLossGrad %dy, %log_prob, %label : (tensor<f32>, tensor<?x10xf32>, tensor<?xi64>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @dropout_grad
func.func @dropout_grad(%dy: tensor<?x10xf32>, %mask: tensor<?x10xi1>, %r: tensor<f32>, %t: tensor<i1>) {
  // CHECK: onnx.DropoutGrad %{{[^ ,)]+}}, %{{[^ ,)]+}} ratio %{{[^ ,)]+}} training %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x10xi1>, tensor<f32>, tensor<i1>) -> tensor<?x10xf32>
  %dx = onnx.DropoutGrad %dy, %mask ratio %r training %t : (tensor<?x10xf32>, tensor<?x10xi1>, tensor<f32>, tensor<i1>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @conv_grad
func.func @conv_grad(%dy: tensor<?x16x8x8xf32>, %x: tensor<?x1x8x8xf32>, %w: tensor<16x1x3x3xf32>) {
  // CHECK: onnx.ConvGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>, tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>) -> (tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>)
  %dx, %dw, %db = onnx.ConvGrad %dy, %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x16x8x8xf32>, tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>) -> (tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>)
  return
}

// CHECK-LABEL: func.func @max_pool_grad
func.func @max_pool_grad(%dy: tensor<?x16x4x4xf32>, %x: tensor<?x16x8x8xf32>) {
  // CHECK: onnx.MaxPoolGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x4x4xf32>, tensor<?x16x8x8xf32>) -> tensor<?x16x8x8xf32>
  %dx = onnx.MaxPoolGrad %dy, %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x16x4x4xf32>, tensor<?x16x8x8xf32>) -> tensor<?x16x8x8xf32>
  return
}

// CHECK-LABEL: func.func @average_pool_grad
func.func @average_pool_grad(%dy: tensor<?x16x4x4xf32>, %x: tensor<?x16x8x8xf32>) {
  // CHECK: onnx.AveragePoolGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x4x4xf32>, tensor<?x16x8x8xf32>) -> tensor<?x16x8x8xf32>
  %dx = onnx.AveragePoolGrad %dy, %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x16x4x4xf32>, tensor<?x16x8x8xf32>) -> tensor<?x16x8x8xf32>
  return
}
