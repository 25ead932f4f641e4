// The operation of the kernel dialect prints as it parses.
// RUN: dist-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @on_tensors
func.func @on_tensors(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: kernel.call "tutti_matmul"(%{{.*}}, %{{.*}}) into(%{{.*}}) {parameters = array<i64: 1, 2, 4, 3, 0, 0, 0, 0, 1065353216, 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %0 = kernel.call "tutti_matmul"(%a, %b) into(%c) {parameters = array<i64: 1, 2, 4, 3, 0, 0, 0, 0, 1065353216, 0>}
     : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @on_memrefs
func.func @on_memrefs(%a: memref<2x3xf32>, %b: memref<3x4xf32>, %c: memref<2x4xf32>) {
  // CHECK: kernel.call "tutti_matmul"(%{{.*}}, %{{.*}}) into(%{{.*}}) {accumulates, parameters = {{.*}}} : (memref<2x3xf32>, memref<3x4xf32>) -> memref<2x4xf32>
  kernel.call "tutti_matmul"(%a, %b) into(%c) {accumulates, parameters = array<i64: 1, 2, 4, 3, 0, 0, 0, 0, 1065353216, 1>}
     : (memref<2x3xf32>, memref<3x4xf32>) -> memref<2x4xf32>
  return
}

// CHECK-LABEL: @two_outputs_and_no_input
func.func @two_outputs_and_no_input(%y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}:2 = kernel.call "tutti_random"() into(%{{.*}}, %{{.*}}) {{.*}} : () -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = kernel.call "tutti_random"() into(%y, %z) {parameters = array<i64: 4>} : () -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
