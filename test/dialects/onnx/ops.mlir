// Constants, shapes, reductions, losses, random tensors and custom operations parse and print as their documentation shows.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @custom
func.func @custom(%x: tensor<4xf32>) {
  // CHECK: onnx.custom "com.acme" "Swirl"(%{{[^ ,)]+}})
  // CHECK-SAME: : (tensor<4xf32>) -> tensor<4xf32>
  %y = onnx.custom "com.acme" "Swirl"(%x) {node_attributes = {turns = 3 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Softmax %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %p = onnx.Softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @log_softmax
func.func @log_softmax(%x: tensor<?x10xf32>) {
  // CHECK: onnx.LogSoftmax %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %p = onnx.LogSoftmax %x {axis = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @softmax_cross_entropy_loss
func.func @softmax_cross_entropy_loss(%scores: tensor<?x10xf32>, %labels: tensor<?xi64>) {
  // CHECK: onnx.SoftmaxCrossEntropyLoss %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x10xf32>)
  %loss, %log_prob = onnx.SoftmaxCrossEntropyLoss %scores, %labels : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x10xf32>)
  return
}

// CHECK-LABEL: func.func @random_normal
func.func @random_normal() {
  // CHECK: onnx.RandomNormal
  %w = onnx.RandomNormal {shape = array<i64: 64, 10>, scale = 5.0e-2 : f32} : tensor<64x10xf32>
  return
}

// CHECK-LABEL: func.func @random_uniform
func.func @random_uniform() {
  // CHECK: onnx.RandomUniform
  %w = onnx.RandomUniform {shape = array<i64: 64, 10>, low = -1.0e-1 : f32} : tensor<64x10xf32>
  return
}

// CHECK-LABEL: func.func @reduce_sum
func.func @reduce_sum(%x: tensor<?x10xf32>) {
  // CHECK: onnx.ReduceSum %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<10xf32>
  %s = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x10xf32>) -> tensor<10xf32>
  return
}

// CHECK-LABEL: func.func @reduce_mean
func.func @reduce_mean(%x: tensor<?x10xf32>) {
  // CHECK: onnx.ReduceMean %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<f32>
  %m = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x10xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @reduce_sum_grad
func.func @reduce_sum_grad(%dy: tensor<10xf32>, %x: tensor<?x10xf32>) {
  // CHECK: onnx.ReduceSumGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.ReduceSumGrad %dy, %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @reduce_mean_grad
func.func @reduce_mean_grad(%dy: tensor<f32>, %x: tensor<?x10xf32>) {
  // CHECK: onnx.ReduceMeanGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %dx = onnx.ReduceMeanGrad %dy, %x {keepdims = 0 : i64} : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @constant
func.func @constant() {
  // CHECK: onnx.Constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %c = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @identity
func.func @identity(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Identity %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Identity %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @flatten
func.func @flatten(%x: tensor<?x16x4x4xf32>) {
  // CHECK: onnx.Flatten %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x4x4xf32>) -> tensor<?x256xf32>
  %y = onnx.Flatten %x : (tensor<?x16x4x4xf32>) -> tensor<?x256xf32>
  return
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<?x16x4x4xf32>) {
  // CHECK: onnx.Reshape %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x4x4xf32>) -> tensor<?x256xf32>
  %y = onnx.Reshape %x {shape = array<i64: 0, -1>} : (tensor<?x16x4x4xf32>) -> tensor<?x256xf32>
  return
}

// CHECK-LABEL: func.func @transpose
func.func @transpose(%x: tensor<?x8x4xf32>) {
  // CHECK: onnx.Transpose %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x8x4xf32>) -> tensor<?x4x8xf32>
  %y = onnx.Transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x8xf32>
  return
}

// CHECK-LABEL: func.func @squeeze
func.func @squeeze(%x: tensor<?x1x8xf32>) {
  // CHECK: onnx.Squeeze %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x1x8xf32>) -> tensor<?x8xf32>
  %y = onnx.Squeeze %x {axes = array<i64: 1>} : (tensor<?x1x8xf32>) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @unsqueeze
func.func @unsqueeze(%x: tensor<?x8xf32>) {
  // CHECK: onnx.Unsqueeze %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x8xf32>) -> tensor<?x1x8xf32>
  %y = onnx.Unsqueeze %x {axes = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<?x1x8xf32>
  return
}
