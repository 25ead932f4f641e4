// Layers parse and print as their documentation shows.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<?x1x8x8xf32>, %w: tensor<16x1x3x3xf32>, %b: tensor<16xf32>) {
  // CHECK: onnx.Conv %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>) -> tensor<?x16x8x8xf32>
  %y = onnx.Conv %x, %w, %b {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<?x1x8x8xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>) -> tensor<?x16x8x8xf32>
  return
}

// CHECK-LABEL: func.func @max_pool
func.func @max_pool(%x: tensor<?x16x8x8xf32>) {
  // CHECK: onnx.MaxPool %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>) -> tensor<?x16x4x4xf32>
  %y = onnx.MaxPool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x16x8x8xf32>) -> tensor<?x16x4x4xf32>
  return
}

// CHECK-LABEL: func.func @average_pool
func.func @average_pool(%x: tensor<?x16x8x8xf32>) {
  // CHECK: onnx.AveragePool %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>) -> tensor<?x16x4x4xf32>
  %y = onnx.AveragePool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x16x8x8xf32>) -> tensor<?x16x4x4xf32>
  return
}

// CHECK-LABEL: func.func @global_average_pool
func.func @global_average_pool(%x: tensor<?x16x4x4xf32>) {
  // CHECK: onnx.GlobalAveragePool %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x4x4xf32>) -> tensor<?x16x1x1xf32>
  %y = onnx.GlobalAveragePool %x : (tensor<?x16x4x4xf32>) -> tensor<?x16x1x1xf32>
  return
}

// CHECK-LABEL: func.func @batch_normalization
func.func @batch_normalization(%x: tensor<?x16x8x8xf32>, %scale: tensor<16xf32>, %b: tensor<16xf32>, %mean: tensor<16xf32>, %var: tensor<16xf32>) {
  // CHECK: onnx.BatchNormalization %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
  %y, %rm, %rv = onnx.BatchNormalization %x, %scale, %b, %mean, %var {training_mode = 1 : i64} : (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<?x10xf32>, %r: tensor<f32>, %t: tensor<i1>) {
  // CHECK: onnx.Dropout %{{[^ ,)]+}} ratio %{{[^ ,)]+}} training %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<f32>, tensor<i1>) -> (tensor<?x10xf32>, tensor<?x10xi1>)
  %y, %mask = onnx.Dropout %x ratio %r training %t : (tensor<?x10xf32>, tensor<f32>, tensor<i1>) -> (tensor<?x10xf32>, tensor<?x10xi1>)
  return
}
