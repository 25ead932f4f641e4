// Lookups, parts and lists of rows become kernel calls.
// RUN: dist-opt %s --pass-pipeline="builtin.module(func.func(lower-onnx,lower-train))" --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @lookup
func.func @lookup(%t: tensor<1000x16xf32>, %i: tensor<8x2xi64>) -> tensor<8x2x16xf32> {
  // CHECK: kernel.gather_rows(%{{[^)]*}}) into(%{{[a-z0-9]*}}) :
  %0 = onnx.Gather %t, %i : (tensor<1000x16xf32>, tensor<8x2xi64>) -> tensor<8x2x16xf32>
  return %0 : tensor<8x2x16xf32>
}

// -----

// CHECK-LABEL: func.func @lookup_in_the_middle
func.func @lookup_in_the_middle(%t: tensor<3x5x7xi1>, %i: tensor<2xi32>) -> tensor<3x2x7xi1> {
  // CHECK: kernel.gather_rows(%{{.*}}) into(%{{.*}}) {axis = 1 : i64}
  %0 = onnx.Gather %t, %i {axis = -2 : i64} : (tensor<3x5x7xi1>, tensor<2xi32>) -> tensor<3x2x7xi1>
  return %0 : tensor<3x2x7xi1>
}

// -----

// CHECK-LABEL: func.func @parts
func.func @parts(%a: tensor<8x2xf32>, %b: tensor<8x3xf32>) -> (tensor<8x1xf32>, tensor<8x4xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8x5xf32>
  // CHECK: %[[A:.*]] = kernel.copy_blocks(%{{.*}}) into(%[[E]]) {blocks = 8 : i64, bytes = 8 : i64, input_stride = 8 : i64, keeps, output_stride = 20 : i64}
  // CHECK: %[[B:.*]] = kernel.copy_blocks(%{{.*}}) into(%[[A]]) {blocks = 8 : i64, bytes = 12 : i64, input_stride = 12 : i64, keeps, output_offset = 8 : i64, output_stride = 20 : i64}
  // CHECK: kernel.copy_blocks(%[[B]]) into(%{{.*}}) {blocks = 8 : i64, bytes = 4 : i64, input_stride = 20 : i64, output_stride = 4 : i64} {{.*}} -> tensor<8x1xf32>
  // CHECK: kernel.copy_blocks(%[[B]]) into(%{{.*}}) {blocks = 8 : i64, bytes = 16 : i64, input_offset = 4 : i64, input_stride = 20 : i64, output_stride = 16 : i64} {{.*}} -> tensor<8x4xf32>
  %0 = onnx.Concat %a, %b {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x3xf32>) -> tensor<8x5xf32>
  %1:2 = onnx.Split %0 {axis = 1 : i64, split = array<i64: 1, 4>} : (tensor<8x5xf32>) -> (tensor<8x1xf32>, tensor<8x4xf32>)
  return %1#0, %1#1 : tensor<8x1xf32>, tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @rows
func.func @rows(%i: tensor<4xi64>, %r: tensor<4x2xf32>, %n: tensor<f32>, %w: tensor<9x2xf32>) -> (tensor<9x2xf32>, tensor<9x2xf32>) {
  // CHECK: kernel.scatter_rows(%{{.*}}, %{{.*}}) into(%{{.*}}) :
  %0 = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  // CHECK: %[[M:.*]]:2 = kernel.merge_rows(%{{.*}}, %{{.*}}, %{{.*}}) into(%{{.*}}, %{{.*}}) {table_rows = 9 : i64}
  %1:2 = train.merge_rows %i, %r of 9 over %n : tensor<4xi64>, tensor<4x2xf32>, tensor<f32> -> tensor<6xi64>, tensor<6x2xf32>
  // CHECK: %[[T:.*]] = kernel.gather_rows(%{{.*}}, %[[M]]#0) into(%{{.*}}) {unused}
  %2 = train.gather_rows %w at %1#0 : tensor<9x2xf32>, tensor<6xi64> -> tensor<6x2xf32>
  // CHECK: kernel.scatter_update_rows(%[[M]]#0, %[[T]]) into(%{{.*}}) :
  %3 = train.scatter_update_rows %2 at %1#0 into %w : tensor<6x2xf32>, tensor<6xi64>, tensor<9x2xf32>
  return %0, %3 : tensor<9x2xf32>, tensor<9x2xf32>
}
