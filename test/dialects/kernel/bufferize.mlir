// Kernel calls on tensors become kernel calls on memrefs: in place where the old value is not needed any more.
// RUN: dist-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck %s

// CHECK-LABEL: @into_an_empty_tensor
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
func.func @into_an_empty_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Y:.*]] = memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: kernel.copy_blocks(%[[X]]) into(%[[Y]]) {{.*}} : (memref<4xf32>) -> memref<4xf32>
  // CHECK: return %[[Y]]
  %e = tensor.empty() : tensor<4xf32>
  %y = kernel.copy_blocks(%x) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The old value of %c is not read by the kernel, so nothing is copied although it is needed later.
// CHECK-LABEL: @overwrites_a_value_that_is_used_later
func.func @overwrites_a_value_that_is_used_later(%x: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %i = arith.constant 0 : index
  // CHECK: memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: kernel.copy_blocks
  %y = kernel.copy_blocks(%x) into(%c) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %old = tensor.extract %c[%i] : tensor<4xf32>
  return %y, %old : tensor<4xf32>, f32
}

// -----

// A kernel that keeps a part of the old value reads it: it must be copied first.
// CHECK-LABEL: @keeps_a_part_of_a_value_that_is_used_later
func.func @keeps_a_part_of_a_value_that_is_used_later(%x: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %i = arith.constant 0 : index
  // CHECK: memref.copy
  // CHECK: kernel.copy_blocks
  %y = kernel.copy_blocks(%x) into(%c) {bytes = 8 : i64, keeps} : (tensor<4xf32>) -> tensor<4xf32>
  %old = tensor.extract %c[%i] : tensor<4xf32>
  return %y, %old : tensor<4xf32>, f32
}

// -----

// A slice that has gaps is copied into a buffer without, for a kernel skips none; one that has none is read where it lies.
// CHECK-LABEL: @takes_slices
func.func @takes_slices(%x: tensor<8x8xf32>, %row: index) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  // CHECK: %[[COLUMNS:.*]] = memref.subview {{.*}}[0, %{{.*}}] [8, 4]
  // CHECK: linalg.copy ins(%[[COLUMNS]] {{.*}} outs(%[[COPY:[a-z0-9_]+]] : memref<8x4xf32>)
  // CHECK: kernel.copy_blocks(%[[COPY]])
  %columns = tensor.extract_slice %x[0, %row] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %y = kernel.copy_blocks(%columns) into(%e) {bytes = 128 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[ROWS:.*]] = memref.subview {{.*}}[%{{.*}}, 0] [4, 8]
  // CHECK-NOT: linalg.copy
  // CHECK: kernel.copy_blocks(%[[ROWS]])
  %rows = tensor.extract_slice %x[%row, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %z = kernel.copy_blocks(%rows) into(%f) {bytes = 128 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y, %z : tensor<8x4xf32>, tensor<4x8xf32>
}
