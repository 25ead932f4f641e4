// Kernel calls on tensors become kernel calls on memrefs: in place where the old value is not needed any more.
// RUN: dist-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck %s

// CHECK-LABEL: @into_an_empty_tensor
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
func.func @into_an_empty_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Y:.*]] = memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: kernel.call "tutti_pool"(%[[X]]) into(%[[Y]]) {{.*}} : (memref<4xf32>) -> memref<4xf32>
  // CHECK: return %[[Y]]
  %e = tensor.empty() : tensor<4xf32>
  %y = kernel.call "tutti_pool"(%x) into(%e) {parameters = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The old value of %c is not read by the kernel, so nothing is copied although it is needed later.
// CHECK-LABEL: @overwrites_a_value_that_is_used_later
func.func @overwrites_a_value_that_is_used_later(%x: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %i = arith.constant 0 : index
  // CHECK: memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: kernel.call
  %y = kernel.call "tutti_pool"(%x) into(%c) {parameters = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  %old = tensor.extract %c[%i] : tensor<4xf32>
  return %y, %old : tensor<4xf32>, f32
}

// -----

// An accumulating kernel reads the old value: it must be copied first.
// CHECK-LABEL: @accumulates_onto_a_value_that_is_used_later
func.func @accumulates_onto_a_value_that_is_used_later(%x: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %i = arith.constant 0 : index
  // CHECK: memref.copy
  // CHECK: kernel.call
  %y = kernel.call "tutti_matmul"(%x) into(%c) {accumulates, parameters = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  %old = tensor.extract %c[%i] : tensor<4xf32>
  return %y, %old : tensor<4xf32>, f32
}
