// Random operations: each draws anew, but a draw that nobody uses is not made.
// RUN: dist-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @two_draws_are_two
// CHECK-COUNT-2: onnx.RandomNormal
func.func @two_draws_are_two() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = onnx.RandomNormal {shape = array<i64: 4>} : tensor<4xf32>
  %1 = onnx.RandomNormal {shape = array<i64: 4>} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @two_dropouts_are_two
// CHECK-COUNT-2: onnx.Dropout
func.func @two_dropouts_are_two(%x: tensor<4xf32>, %t: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = onnx.Dropout %x training %t : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>)
  %1:2 = onnx.Dropout %x training %t : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>)
  return %0#0, %1#0 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @unused_draw_goes
// CHECK-NEXT: return
func.func @unused_draw_goes() {
  %0 = onnx.RandomUniform {shape = array<i64: 4>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @unused_custom_operation_stays
// CHECK-NEXT: onnx.custom
func.func @unused_custom_operation_stays(%x: tensor<4xf32>) {
  %0 = onnx.custom "com.acme" "Log"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
