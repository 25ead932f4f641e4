// Elementwise loops fuse where no work is repeated.
// RUN: dist-opt %s --lower-onnx --lower-fuse-elementwise --split-input-file | FileCheck %s

// CHECK-LABEL: @bias_and_activation
func.func @bias_and_activation(%a: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  // CHECK: linalg.generic
  // CHECK: arith.addf
  // CHECK: arith.select
  // CHECK-NOT: linalg.generic
  %0 = onnx.Add %a, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = onnx.Relu %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// A producer can fuse into a reduction.
// CHECK-LABEL: @square_and_sum
func.func @square_and_sum(%a: tensor<8x4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK-NOT: linalg.generic
  %0 = onnx.Mul %a, %a : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = onnx.ReduceSum %0 {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<8x4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// exp of 4 elements would become exp of 32.
// CHECK-LABEL: @broadcast_of_something_dear
func.func @broadcast_of_something_dear(%a: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  // CHECK: math.exp
  // CHECK: linalg.yield
  // CHECK: linalg.generic
  // CHECK: arith.addf
  %0 = onnx.Exp %b : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.Add %a, %0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: @a_value_with_two_uses
func.func @a_value_with_two_uses(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-3: linalg.generic
  %0 = onnx.Exp %a : (tensor<8xf32>) -> tensor<8xf32>
  %1 = onnx.Neg %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = onnx.Sqrt %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
