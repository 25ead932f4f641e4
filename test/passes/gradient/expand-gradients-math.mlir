// The rules of arithmetic that are easily got wrong in shape; numbers are checked in test/equivalence/gradients.
// RUN: dist-opt %s --train-expand-gradients --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @broadcast_operands_are_summed
func.func @broadcast_operands_are_summed(%a: tensor<?x1x4xf32>, %b: tensor<3x1xf32>) -> (tensor<?x1x4xf32>, tensor<3x1xf32>) {
  %0 = onnx.Add %a, %b : (tensor<?x1x4xf32>, tensor<3x1xf32>) -> tensor<?x3x4xf32>
  // CHECK: %[[ONE:.*]] = train.full_like
  // CHECK: %[[DA:.*]] = onnx.ReduceSum %[[ONE]] {axes = array<i64: 1>} : (tensor<?x3x4xf32>) -> tensor<?x1x4xf32>
  // CHECK: %[[S:.*]] = onnx.ReduceSum %[[ONE]] {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x3x4xf32>) -> tensor<3x4xf32>
  // CHECK: %[[DB:.*]] = onnx.ReduceSum %[[S]] {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  // CHECK: return %[[DA]], %[[DB]]
  %g:2 = train.gradient %0 wrt %a, %b : tensor<?x3x4xf32> wrt tensor<?x1x4xf32>, tensor<3x1xf32>
  return %g#0, %g#1 : tensor<?x1x4xf32>, tensor<3x1xf32>
}

// Two unknown batches are one and the same: nothing is summed.
// CHECK-LABEL: func.func @unknown_dimensions_are_equal
func.func @unknown_dimensions_are_equal(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK-NOT: onnx.ReduceSum
  // CHECK: return
  %0 = onnx.Sub %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %g:2 = train.gradient %0 wrt %a, %b : tensor<?x4xf32> wrt tensor<?x4xf32>, tensor<?x4xf32>
  return %g#0, %g#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// An operand that knows less than the result gets a gradient of its own type.
// CHECK-LABEL: func.func @operand_that_knows_less
func.func @operand_that_knows_less(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<?xf32> {
  %0 = onnx.Mul %a, %b : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: onnx.Identity %{{.*}} : (tensor<4xf32>) -> tensor<?xf32>
  %g = train.gradient %0 wrt %a : tensor<4xf32> wrt tensor<?xf32>
  return %g : tensor<?xf32>
}

// One weight that meets many batches: a single product over all rows, no batch of gradients to sum.
// CHECK-LABEL: func.func @weight_of_batched_matmul
func.func @weight_of_batched_matmul(%x: tensor<?x8x64xf32>, %w: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %0 = onnx.MatMul %x, %w : (tensor<?x8x64xf32>, tensor<64x10xf32>) -> tensor<?x8x10xf32>
  // CHECK-DAG: %[[X:.*]] = onnx.Flatten %{{.*}} {axis = 2 : i64} : (tensor<?x8x64xf32>) -> tensor<?x64xf32>
  // CHECK-DAG: %[[DY:.*]] = onnx.Flatten %{{.*}} {axis = 2 : i64} : (tensor<?x8x10xf32>) -> tensor<?x10xf32>
  // CHECK: %[[G:.*]] = onnx.Gemm %[[X]], %[[DY]] {transA = 1 : i64}
  // CHECK: return %[[G]]
  %g = train.gradient %0 wrt %w : tensor<?x8x10xf32> wrt tensor<64x10xf32>
  return %g : tensor<64x10xf32>
}

// CHECK-LABEL: func.func @matmul_of_vectors
func.func @matmul_of_vectors(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK: return %{{.*}}, %{{.*}} : tensor<3xf32>, tensor<3xf32>
  %0 = onnx.MatMul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %g:2 = train.gradient %0 wrt %a, %b : tensor<f32> wrt tensor<3xf32>, tensor<3xf32>
  return %g#0, %g#1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @reshape_back_to_an_unknown_batch
func.func @reshape_back_to_an_unknown_batch(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  %0 = onnx.Flatten %x : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  // CHECK: onnx.Reshape %{{.*}} {shape = array<i64: -1, 3, 4>}
  %g = train.gradient %0 wrt %x : tensor<?x12xf32> wrt tensor<?x3x4xf32>
  return %g : tensor<?x3x4xf32>
}

// CHECK-LABEL: func.func @transpose_back
func.func @transpose_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = onnx.Transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = onnx.Exp %0 : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  // CHECK: onnx.Transpose %{{.*}} {perm = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  %g = train.gradient %1 wrt %x : tensor<3x4x2xf32> wrt tensor<2x3x4xf32>
  return %g : tensor<2x3x4xf32>
}

// The batch has no known size, so the divisor of a mean is left to an operation.
// CHECK-LABEL: func.func @mean_over_the_batch
func.func @mean_over_the_batch(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
  // CHECK: onnx.ReduceMeanGrad %{{.*}}, %{{.*}} {keepdims = 0 : i64} : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %g = train.gradient %0 wrt %x : tensor<f32> wrt tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}

// The batch is copied, the other unknown dimension inferred.
// CHECK-LABEL: func.func @reshape_back_to_two_unknown_dimensions
func.func @reshape_back_to_two_unknown_dimensions(%x: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %0 = onnx.Flatten %x : (tensor<?x?x3xf32>) -> tensor<?x?xf32>
  %1 = onnx.Exp %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: onnx.Reshape %{{.*}} {shape = array<i64: 0, -1, 3>}
  %g = train.gradient %1 wrt %x : tensor<?x?xf32> wrt tensor<?x?x3xf32>
  return %g : tensor<?x?x3xf32>
}

// CHECK-LABEL: func.func @reshape_back_to_nothing
func.func @reshape_back_to_nothing(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = onnx.Flatten %x {axis = 0 : i64} : (tensor<0x3xf32>) -> tensor<1x0xf32>
  %1 = onnx.Exp %0 : (tensor<1x0xf32>) -> tensor<1x0xf32>
  // CHECK: onnx.Reshape %{{.*}} {allowzero = 1 : i64, shape = array<i64: 0, 3>}
  %g = train.gradient %1 wrt %x : tensor<1x0xf32> wrt tensor<0x3xf32>
  return %g : tensor<0x3xf32>
}
