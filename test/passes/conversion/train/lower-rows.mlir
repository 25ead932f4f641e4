// Lookups, parts and lists of rows become kernel calls.
// RUN: dist-opt %s --pass-pipeline="builtin.module(func.func(lower-onnx,lower-train))" --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @lookup
func.func @lookup(%t: tensor<1000x16xf32>, %i: tensor<8x2xi64>) -> tensor<8x2x16xf32> {
  // CHECK: kernel.call "tutti_gather_rows"(%{{.*}}, %{{.*}}) into(%{{.*}}) {parameters = array<i64: 1, 1000, 64, 16, 8, 0>}
  %0 = onnx.Gather %t, %i : (tensor<1000x16xf32>, tensor<8x2xi64>) -> tensor<8x2x16xf32>
  return %0 : tensor<8x2x16xf32>
}

// -----

// CHECK-LABEL: func.func @lookup_in_the_middle
func.func @lookup_in_the_middle(%t: tensor<3x5x7xi1>, %i: tensor<2xi32>) -> tensor<3x2x7xi1> {
  // CHECK: parameters = array<i64: 3, 5, 7, 2, 4, 0>
  %0 = onnx.Gather %t, %i {axis = -2 : i64} : (tensor<3x5x7xi1>, tensor<2xi32>) -> tensor<3x2x7xi1>
  return %0 : tensor<3x2x7xi1>
}

// -----

// CHECK-LABEL: func.func @parts
func.func @parts(%a: tensor<8x2xf32>, %b: tensor<8x3xf32>) -> (tensor<8x1xf32>, tensor<8x4xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8x5xf32>
  // CHECK: %[[A:.*]] = kernel.call "tutti_copy_blocks"(%{{.*}}) into(%[[E]]) {accumulates, parameters = array<i64: 8, 8, 8, 0, 20, 0>}
  // CHECK: %[[B:.*]] = kernel.call "tutti_copy_blocks"(%{{.*}}) into(%[[A]]) {accumulates, parameters = array<i64: 8, 12, 12, 0, 20, 8>}
  // CHECK: kernel.call "tutti_copy_blocks"(%[[B]]) into(%{{.*}}) {parameters = array<i64: 8, 4, 20, 0, 4, 0>} {{.*}} -> tensor<8x1xf32>
  // CHECK: kernel.call "tutti_copy_blocks"(%[[B]]) into(%{{.*}}) {parameters = array<i64: 8, 16, 20, 4, 16, 0>} {{.*}} -> tensor<8x4xf32>
  %0 = onnx.Concat %a, %b {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x3xf32>) -> tensor<8x5xf32>
  %1:2 = onnx.Split %0 {axis = 1 : i64, split = array<i64: 1, 4>} : (tensor<8x5xf32>) -> (tensor<8x1xf32>, tensor<8x4xf32>)
  return %1#0, %1#1 : tensor<8x1xf32>, tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @rows
func.func @rows(%i: tensor<4xi64>, %r: tensor<4x2xf32>, %n: tensor<f32>, %w: tensor<9x2xf32>) -> (tensor<9x2xf32>, tensor<9x2xf32>) {
  // CHECK: kernel.call "tutti_scatter_rows"(%{{.*}}, %{{.*}}) into(%{{.*}}) {parameters = array<i64: [[F32:[0-9]+]], 9, 2, 4, 8>}
  %0 = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  // CHECK: %[[M:.*]]:2 = kernel.call "tutti_merge_rows"(%{{.*}}, %{{.*}}, %{{.*}}) into(%{{.*}}, %{{.*}}) {parameters = array<i64: [[F32]], 9, 2, 4, 6, 8, 1>}
  %1:2 = train.merge_rows %i, %r of 9 over %n : tensor<4xi64>, tensor<4x2xf32>, tensor<f32> -> tensor<6xi64>, tensor<6x2xf32>
  // CHECK: %[[T:.*]] = kernel.call "tutti_gather_rows"(%{{.*}}, %[[M]]#0) into(%{{.*}}) {parameters = array<i64: 1, 9, 8, 6, 8, 1>}
  %2 = train.gather_rows %w at %1#0 : tensor<9x2xf32>, tensor<6xi64> -> tensor<6x2xf32>
  // CHECK: kernel.call "tutti_scatter_update_rows"(%[[M]]#0, %[[T]]) into(%{{.*}}) {accumulates, parameters = array<i64: 9, 8, 6, 8>}
  %3 = train.scatter_update_rows %2 at %1#0 into %w : tensor<6x2xf32>, tensor<6xi64>, tensor<9x2xf32>
  return %0, %3 : tensor<9x2xf32>, tensor<9x2xf32>
}
