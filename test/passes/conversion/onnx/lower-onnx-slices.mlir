// Neighbours are copied in blocks, entries with steps between them one by one; what is indexed by data goes through kernels.
// RUN: dist-opt %s --lower-onnx --split-input-file | FileCheck %s

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0 * 2 + 1, d1)>
// CHECK-LABEL: @slice
func.func @slice(%x: tensor<6x5xf32>) -> tensor<2x3xf32> {
  // CHECK: %[[ROWS:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<6x5xf32>)
  // CHECK: kernel.copy_blocks(%[[ROWS]]) {{.*}}blocks = 2 : i64, bytes = 12 : i64, input_stride = 20 : i64, output_stride = 12 : i64
  %0 = onnx.Slice %x {axes = array<i64: 0, 1>, ends = array<i64: 5, 3>, starts = array<i64: 1, 0>, steps = array<i64: 2, 1>} : (tensor<6x5xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK: #[[$AT:.*]] = affine_map<(d0) -> (d0 * -2 + 4)>
// CHECK-LABEL: @slice_grad
func.func @slice_grad(%dy: tensor<3xf32>, %x: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: %[[ZEROS:.*]] = linalg.fill
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$AT]]], {{.*}} ins(%arg0 : tensor<3xf32>) outs(%[[ZEROS]] : tensor<6xf32>)
  // CHECK: arith.addf
  %0 = onnx.SliceGrad %dy, %x {ends = array<i64: -9>, starts = array<i64: 4>, steps = array<i64: -2>} : (tensor<3xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// CHECK-LABEL: @nothing
func.func @nothing(%x: tensor<6xf32>) -> tensor<0xf32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<0xf32>
  // CHECK-NEXT: return %[[E]]
  %0 = onnx.Slice %x {ends = array<i64: 2>, starts = array<i64: 4>} : (tensor<6xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  // CHECK: linalg.fill
  // CHECK: kernel.copy_blocks(%arg0) into({{.*}}) {blocks = 2 : i64, bytes = 12 : i64, input_stride = 12 : i64, keeps, output_offset = 4 : i64, output_stride = 24 : i64}
  // CHECK-NOT: kernel.copy_blocks
  // CHECK: return
  %0 = onnx.Pad %x {pads = array<i64: 0, 1, 0, 2>, value = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

// CHECK-LABEL: @trilu
func.func @trilu(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.index 0
  // CHECK: linalg.index 1
  // CHECK: arith.cmpi sge
  // CHECK: arith.select
  %0 = onnx.Trilu %x {k = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @gather_elements
func.func @gather_elements(%x: tensor<4x5xf32>, %i: tensor<4x2xi64>) -> tensor<4x2xf32> {
  // CHECK: linalg.generic
  // CHECK: kernel.gather_rows({{.*}}) into({{.*}}) : (tensor<20x1xf32>, tensor<8xi64>) -> tensor<8x1xf32>
  %0 = onnx.GatherElements %x, %i {axis = 1 : i64} : (tensor<4x5xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @scatter_nd
func.func @scatter_nd(%x: tensor<4x5x3xf32>, %i: tensor<2x2xi64>, %u: tensor<2x3xf32>) -> tensor<4x5x3xf32> {
  // CHECK: kernel.scatter_update_rows({{.*}}) into({{.*}}) : (tensor<2xi64>, tensor<2x3xf32>) -> tensor<20x3xf32>
  %0 = onnx.ScatterND %x, %i, %u : (tensor<4x5x3xf32>, tensor<2x2xi64>, tensor<2x3xf32>) -> tensor<4x5x3xf32>
  return %0 : tensor<4x5x3xf32>
}

// -----

// 16 bits are widened, and rounded once.
// CHECK-LABEL: @narrow
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: math.absf %[[W]] : f32
  // CHECK: %[[Q:.*]] = arith.divf %[[W]], %{{.*}} : f32
  // CHECK: arith.truncf %[[Q]] : f32 to bf16
  %0 = onnx.Softsign %x : (tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
