// Operators that take parts of tensors, make them larger, reduce them or pick elements, read and written.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL

// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<?x16xf32>, %y: tensor<?x4xf32>, %one: tensor<1x1x8xf32>, %r: tensor<?x8x8xi64>) {
  // CHECK: onnx.Slice %{{[a-z0-9]+}} {axes = array<i64: 1>, ends = array<i64: 9223372036854775807>, starts = array<i64: -4>} : (tensor<?x16xf32>) -> tensor<?x4xf32>
  %0 = onnx.Slice %x {axes = array<i64: 1>, ends = array<i64: 9223372036854775807>, starts = array<i64: -4>} : (tensor<?x16xf32>) -> tensor<?x4xf32>
  // CHECK: onnx.Slice %{{[a-z0-9]+}} {axes = array<i64: -1>, ends = array<i64: -17>, starts = array<i64: 14>, steps = array<i64: -4>} : (tensor<?x16xf32>) -> tensor<?x4xf32>
  %1 = onnx.Slice %x {axes = array<i64: -1>, ends = array<i64: -17>, starts = array<i64: 14>, steps = array<i64: -4>} : (tensor<?x16xf32>) -> tensor<?x4xf32>
  // CHECK: onnx.SliceGrad %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {axes = array<i64: 1>, ends = array<i64: 4>, starts = array<i64: 0>} : (tensor<?x4xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %2 = onnx.SliceGrad %y, %x {axes = array<i64: 1>, ends = array<i64: 4>, starts = array<i64: 0>} : (tensor<?x4xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  // CHECK: onnx.Expand %{{[a-z0-9]+}} like %{{[a-z0-9]+}} {shape = array<i64: -1, 4, 8>} : (tensor<1x1x8xf32>, tensor<?x16xf32>) -> tensor<?x4x8xf32>
  %3 = onnx.Expand %one like %x {shape = array<i64: -1, 4, 8>} : (tensor<1x1x8xf32>, tensor<?x16xf32>) -> tensor<?x4x8xf32>
  // CHECK: onnx.Expand %{{[a-z0-9]+}} {shape = array<i64: 3, -1, 16>} : (tensor<?x16xf32>) -> tensor<3x?x16xf32>
  %4 = onnx.Expand %x {shape = array<i64: 3, -1, 16>} : (tensor<?x16xf32>) -> tensor<3x?x16xf32>
  // CHECK: onnx.Pad %{{[a-z0-9]+}} {pads = array<i64: 0, 1, 0, -2>, value = 1.000000e+00 : f64} : (tensor<?x16xf32>) -> tensor<?x15xf32>
  %5 = onnx.Pad %x {pads = array<i64: 0, 1, 0, -2>, value = 1.000000e+00 : f64} : (tensor<?x16xf32>) -> tensor<?x15xf32>
  // CHECK: onnx.Trilu %{{[a-z0-9]+}} {k = 1 : i64, upper = 0 : i64} : (tensor<?x8x8xi64>) -> tensor<?x8x8xi64>
  %6 = onnx.Trilu %r {k = 1 : i64, upper = 0 : i64} : (tensor<?x8x8xi64>) -> tensor<?x8x8xi64>
  // CHECK: onnx.CumSum %{{[a-z0-9]+}} {axis = -1 : i64, exclusive = 1 : i64} : (tensor<?x8x8xi64>) -> tensor<?x8x8xi64>
  %7 = onnx.CumSum %r {axis = -1 : i64, exclusive = 1 : i64} : (tensor<?x8x8xi64>) -> tensor<?x8x8xi64>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<?x10xf32>) {
  // CHECK: onnx.ReduceMax %{{[a-z0-9]+}} {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %0 = onnx.ReduceMax %x {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
  // CHECK: onnx.ReduceMin %{{[a-z0-9]+}} {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %1 = onnx.ReduceMin %x {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
  // CHECK: onnx.ReduceProd %{{[a-z0-9]+}} {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %2 = onnx.ReduceProd %x {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
  // CHECK: onnx.ArgMax %{{[a-z0-9]+}} {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x10xf32>) -> tensor<?xi64>
  %3 = onnx.ArgMax %x {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x10xf32>) -> tensor<?xi64>
  // CHECK: onnx.ArgMin %{{[a-z0-9]+}} {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x10xf32>) -> tensor<?xi64>
  %4 = onnx.ArgMin %x {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x10xf32>) -> tensor<?xi64>
  return
}

// CHECK-LABEL: func.func @indexing
func.func @indexing(%x: tensor<?x10xf32>, %i: tensor<?x2xi64>, %u: tensor<?x2xf32>, %t: tensor<4x8x16xf32>, %v: tensor<?x16xf32>) {
  // CHECK: onnx.GatherElements %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {axis = 1 : i64} : (tensor<?x10xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  %0 = onnx.GatherElements %x, %i {axis = 1 : i64} : (tensor<?x10xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  // CHECK: onnx.ScatterElements %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {axis = 1 : i64, reduction = "add"} : (tensor<?x10xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<?x10xf32>
  %1 = onnx.ScatterElements %x, %i, %u {axis = 1 : i64, reduction = "add"} : (tensor<?x10xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.GatherND %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<4x8x16xf32>, tensor<?x2xi64>) -> tensor<?x16xf32>
  %2 = onnx.GatherND %t, %i : (tensor<4x8x16xf32>, tensor<?x2xi64>) -> tensor<?x16xf32>
  // CHECK: onnx.ScatterND %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<4x8x16xf32>, tensor<?x2xi64>, tensor<?x16xf32>) -> tensor<4x8x16xf32>
  %3 = onnx.ScatterND %t, %i, %v : (tensor<4x8x16xf32>, tensor<?x2xi64>, tensor<?x16xf32>) -> tensor<4x8x16xf32>
  return
}

// CANONICAL-LABEL: func.func @nothing_is_taken
func.func @nothing_is_taken(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CANONICAL-NEXT: return %arg0
  %0 = onnx.Slice %x {axes = array<i64: 1>, ends = array<i64: 16>, starts = array<i64: 0>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = onnx.Expand %0 {shape = array<i64: 1, 16>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = onnx.Pad %1 {pads = array<i64: 0, 0, 0, 0>} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// CANONICAL-LABEL: func.func @turning_around_is_something
func.func @turning_around_is_something(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CANONICAL: onnx.Slice
  %0 = onnx.Slice %x {ends = array<i64: -5>, starts = array<i64: 3>, steps = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
