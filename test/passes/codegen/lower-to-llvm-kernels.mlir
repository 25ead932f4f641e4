// What each kernel is told: its parameters in the order of include/tutti/abi.def, then the name of its node (here its place in this file).
// RUN: dist-opt %s --lower-to-llvm | FileCheck %s

// CHECK-DAG: @parameters_{{.*}}(dense<[5, 8, 4, 3, 0, 1, 24, 12, 1073741824, 1, 3, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[2, 2, 3, 4, 1, 1, 8, 8, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 4, 4, 3, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[2, 2, 3, 4, 1, 0, 8, 8, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 4, 4, 3, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[2, 2, 3, 1, 8, 8, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 4, 4, 3, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[32, 1048576, 1, 4, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[4, 4, 1, 0, 4607182418800017408, 1, 9, 1, -1, 1, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[2, 9, 24, 6, 4, 1, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[9, 8, 6, 8, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[3, 9, 2, 6, 8, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[3, 9, 2, 4, 6, 8, 1, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<
// CHECK-DAG: @parameters_{{.*}}(dense<[8, 16, 20, 4, 32, 12, 3{{[0-2]}}, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]> : tensor<

func.func @step(%arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 0 : i64, kernel.inputs = 0 : i64, kernel.results = 0 : i64} {
  return
}

// CHECK: llvm.func @kernels
// CHECK: llvm.call @tutti_matmul
// CHECK: llvm.call @tutti_convolution(
// CHECK: llvm.call @tutti_convolution_backward_data
// CHECK: llvm.call @tutti_convolution_backward_weights
// CHECK: llvm.call @tutti_pool(
// CHECK: llvm.call @tutti_pool_backward
// CHECK: llvm.call @tutti_dropout
// CHECK: llvm.call @tutti_random
// CHECK: llvm.call @tutti_gather_rows
// CHECK: llvm.call @tutti_scatter_update_rows
// CHECK: llvm.call @tutti_scatter_rows
// CHECK: llvm.call @tutti_merge_rows
// CHECK: llvm.call @tutti_copy_blocks
func.func @kernels(%a: memref<5x8x3xf32>, %b: memref<5x4x3xf32>, %c: memref<5x8x4xf32>,
                   %x: memref<2x3x8x8xf32>, %w: memref<4x3x3x3xf32>, %bias: memref<4xf32>, %y: memref<2x4x4x4xf32>,
                   %p: memref<2x3x4x4xf32>, %d: memref<8x4xf32>, %ratio: memref<f32>, %part: memref<i64>, %mask: memref<8x4xi1>,
                   %r: memref<4xf64>, %table: memref<2x9x6xf32>, %some: memref<6xi32>, %taken: memref<2x6x6xf32>,
                   %indices: memref<6xi64>, %rows: memref<6x2xf32>, %t: memref<9x2xf32>,
                   %i4: memref<4xi64>, %r4: memref<4x2xf32>, %parts: memref<40xf32>, %whole: memref<64xf32>,
                   %context: !llvm.ptr) {
  kernel.matmul(%a, %b) into(%c) {accumulate, alpha = 2.0 : f32, batch = 5 : i64, k = 3 : i64, m = 8 : i64, n = 4 : i64,
    stride_a = 24 : i64, stride_b = 12 : i64, transpose_b} : (memref<5x8x3xf32>, memref<5x4x3xf32>) -> memref<5x8x4xf32>
  kernel.convolution(%x, %w, %bias) into(%y) {dilations = array<i64: 1, 1>, group = 1 : i64, kernel = array<i64: 3, 3>,
    pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (memref<2x3x8x8xf32>, memref<4x3x3x3xf32>, memref<4xf32>) -> memref<2x4x4x4xf32>
  kernel.convolution_backward_data(%y, %w) into(%x) {dilations = array<i64: 1, 1>, group = 1 : i64, kernel = array<i64: 3, 3>,
    pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (memref<2x4x4x4xf32>, memref<4x3x3x3xf32>) -> memref<2x3x8x8xf32>
  kernel.convolution_backward_weights(%y, %x) into(%w) {dilations = array<i64: 1, 1>, group = 1 : i64, kernel = array<i64: 3, 3>,
    pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (memref<2x4x4x4xf32>, memref<2x3x8x8xf32>) -> memref<4x3x3x3xf32>
  kernel.pool(%x) into(%p) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, kind = 1 : i64,
    pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (memref<2x3x8x8xf32>) -> memref<2x3x4x4xf32>
  kernel.pool_backward(%p, %x) into(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, kind = 1 : i64,
    pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (memref<2x3x4x4xf32>, memref<2x3x8x8xf32>) -> memref<2x3x8x8xf32>
  kernel.dropout(%d, %ratio, %part) into(%d, %mask) {node = 1048576 : i64, parts = 4 : i64}
    : (memref<8x4xf32>, memref<f32>, memref<i64>) -> (memref<8x4xf32>, memref<8x4xi1>)
  kernel.random() into(%r) {a = 0.0 : f64, b = 1.0 : f64, distribution = 1 : i64, node = 1 : i64, seed = 9 : i64} : () -> memref<4xf64>
  kernel.gather_rows(%table, %some) into(%taken) {axis = 1 : i64, unused} : (memref<2x9x6xf32>, memref<6xi32>) -> memref<2x6x6xf32>
  kernel.scatter_update_rows(%indices, %rows) into(%t) : (memref<6xi64>, memref<6x2xf32>) -> memref<9x2xf32>
  kernel.scatter_rows(%indices, %rows) into(%t) : (memref<6xi64>, memref<6x2xf32>) -> memref<9x2xf32>
  kernel.merge_rows(%i4, %r4, %ratio) into(%indices, %rows) {table_rows = 9 : i64}
    : (memref<4xi64>, memref<4x2xf32>, memref<f32>) -> (memref<6xi64>, memref<6x2xf32>)
  kernel.copy_blocks(%parts) into(%whole) {blocks = 8 : i64, bytes = 16 : i64, input_offset = 4 : i64, input_stride = 20 : i64,
    keeps, output_offset = 12 : i64, output_stride = 32 : i64} : (memref<40xf32>) -> memref<64xf32>
  return
}
