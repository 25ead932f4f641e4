// The operations of the kernel dialect print as they parse.
// RUN: dist-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @on_tensors
func.func @on_tensors(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: kernel.matmul(%{{.*}}, %{{.*}}) into(%{{.*}}) {k = 3 : i64, m = 2 : i64, n = 4 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %0 = kernel.matmul(%a, %b) into(%c) {k = 3 : i64, m = 2 : i64, n = 4 : i64}
     : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @on_memrefs
func.func @on_memrefs(%a: memref<2x3xf32>, %b: memref<3x4xf32>, %c: memref<2x4xf32>) {
  // CHECK: kernel.matmul(%{{.*}}, %{{.*}}) into(%{{.*}}) {accumulate, {{.*}}} : (memref<2x3xf32>, memref<3x4xf32>) -> memref<2x4xf32>
  kernel.matmul(%a, %b) into(%c) {accumulate, k = 3 : i64, m = 2 : i64, n = 4 : i64}
     : (memref<2x3xf32>, memref<3x4xf32>) -> memref<2x4xf32>
  return
}

// CHECK-LABEL: @two_outputs
func.func @two_outputs(%x: tensor<4xf32>, %r: tensor<f32>, %y: tensor<4xf32>, %m: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK: %{{.*}}:2 = kernel.dropout(%{{.*}}, %{{.*}}) into(%{{.*}}, %{{.*}}) {node = 3 : i64} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xi1>)
  %0:2 = kernel.dropout(%x, %r) into(%y, %m) {node = 3 : i64} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xi1>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @no_input
func.func @no_input(%y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: kernel.random() into(%{{.*}}) {{.*}} : () -> tensor<4xf32>
  %0 = kernel.random() into(%y) {a = 0.0 : f64, b = 1.0 : f64, distribution = 0 : i64, node = 0 : i64} : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
