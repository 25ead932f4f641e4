// RUN: dist-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neutral_elements
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @neutral_elements(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = onnx.Constant dense<0.0> : tensor<4xf32>
  %one = onnx.Constant dense<1.0> : tensor<f32>
  %0 = onnx.Add %x, %zero : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %1 = onnx.Add %zero, %x : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = onnx.Sub %x, %zero : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %3 = onnx.Mul %x, %one : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %4 = onnx.Mul %one, %x : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = onnx.Div %x, %one : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @neutral_integers
// CHECK-NEXT: return %arg0
func.func @neutral_integers(%x: tensor<4xi64>) -> tensor<4xi64> {
  %one = onnx.Constant dense<1> : tensor<i64>
  %0 = onnx.Mul %x, %one : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// A zero that widens the shape is not neutral.
// CHECK-LABEL: func.func @widening_zero_stays
// CHECK: onnx.Add
func.func @widening_zero_stays(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %zero = onnx.Constant dense<0.0> : tensor<3x4xf32>
  %0 = onnx.Add %x, %zero : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// 0 - x is not x.
// CHECK-LABEL: func.func @zero_minus_x_stays
// CHECK: onnx.Sub
func.func @zero_minus_x_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = onnx.Constant dense<0.0> : tensor<4xf32>
  %0 = onnx.Sub %zero, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @constants_fold
// CHECK-DAG: onnx.Constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-DAG: onnx.Constant dense<[-1.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK-DAG: onnx.Constant dense<6> : tensor<i64>
// CHECK-DAG: onnx.Constant dense<5.000000e-01> : tensor<f32>
func.func @constants_fold() -> (tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<f32>) {
  %a = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf32>
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %one = onnx.Constant dense<1.0> : tensor<f32>
  %i = onnx.Constant dense<2> : tensor<i64>
  %j = onnx.Constant dense<3> : tensor<i64>
  %0 = onnx.Add %a, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = onnx.Sub %a, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = onnx.Mul %i, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %3 = onnx.Div %one, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<f32>
}

// CHECK-LABEL: func.func @operations_that_do_nothing
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @operations_that_do_nothing(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = onnx.Identity %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = onnx.Cast %x {to = f32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = onnx.Flatten %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = onnx.Reshape %x {shape = array<i64: -1, 4>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = onnx.ReduceSum %x {noop_with_empty_axes = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = onnx.Sum %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// An Identity that forgets a dimension has a purpose.
// CHECK-LABEL: func.func @retyping_identity_stays
// CHECK: onnx.Identity
func.func @retyping_identity_stays(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = onnx.Identity %x : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @inverses
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0
func.func @inverses(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = onnx.Neg %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = onnx.Neg %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = onnx.Transpose %x : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %3 = onnx.Transpose %2 {perm = array<i64: 1, 0>} : (tensor<4x?xf32>) -> tensor<?x4xf32>
  %4 = onnx.Unsqueeze %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x1x4xf32>
  %5 = onnx.Squeeze %4 {axes = array<i64: -2>} : (tensor<?x1x4xf32>) -> tensor<?x4xf32>
  %6 = onnx.Flatten %x {axis = 0 : i64} : (tensor<?x4xf32>) -> tensor<1x?xf32>
  %7 = onnx.Reshape %6 {shape = array<i64: -1, 4>} : (tensor<1x?xf32>) -> tensor<?x4xf32>
  return %1, %3, %5, %7 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @squeeze_undone
// CHECK-NEXT: return %arg0
func.func @squeeze_undone(%x: tensor<?x1x4xf32>) -> tensor<?x1x4xf32> {
  %0 = onnx.Squeeze %x : (tensor<?x1x4xf32>) -> tensor<?x4xf32>
  %1 = onnx.Unsqueeze %0 {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x1x4xf32>
  return %1 : tensor<?x1x4xf32>
}

// CHECK-LABEL: func.func @transposes_in_a_row
// CHECK-NEXT: onnx.Transpose %arg0 {perm = array<i64: 2, 0, 1>}
func.func @transposes_in_a_row(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = onnx.Transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = onnx.Transpose %0 {perm = array<i64: 1, 2, 0>} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// Only the last reshape matters; a copied dimension that is known is written down.
// CHECK-LABEL: func.func @reshapes_in_a_row
// CHECK-NEXT: onnx.Reshape %arg0 {shape = array<i64: 6, -1>} : (tensor<?x3x4xf32>) -> tensor<6x?xf32>
func.func @reshapes_in_a_row(%x: tensor<?x3x4xf32>) -> tensor<6x?xf32> {
  %0 = onnx.Reshape %x {shape = array<i64: 6, -1, 2>} : (tensor<?x3x4xf32>) -> tensor<6x?x2xf32>
  %1 = onnx.Reshape %0 {shape = array<i64: 0, -1>} : (tensor<6x?x2xf32>) -> tensor<6x?xf32>
  return %1 : tensor<6x?xf32>
}

// The copied dimension is unknown, and not the operand's.
// CHECK-LABEL: func.func @reshape_that_copies_stays
// CHECK-COUNT-2: onnx.Reshape
func.func @reshape_that_copies_stays(%x: tensor<?x3x4xf32>) -> tensor<?x6xf32> {
  %0 = onnx.Reshape %x {shape = array<i64: -1, 2, 3>} : (tensor<?x3x4xf32>) -> tensor<?x2x3xf32>
  %1 = onnx.Reshape %0 {shape = array<i64: 0, 6>} : (tensor<?x2x3xf32>) -> tensor<?x6xf32>
  return %1 : tensor<?x6xf32>
}

// CHECK-LABEL: func.func @small_powers
// CHECK: %[[SQUARE:.*]] = onnx.Mul %arg0, %arg0
// CHECK: %[[CUBE:.*]] = onnx.Pow
// CHECK: return %arg0, %[[SQUARE]], %[[CUBE]]
func.func @small_powers(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %one = onnx.Constant dense<1> : tensor<i64>
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %three = onnx.Constant dense<3.0> : tensor<f32>
  %0 = onnx.Pow %x, %one : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  %1 = onnx.Pow %x, %two : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = onnx.Pow %x, %three : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @sum_of_two
// CHECK-NEXT: onnx.Add %arg0, %arg1
func.func @sum_of_two(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = onnx.Sum %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Once the size is known, nothing depends on what it was the size of.
// CHECK-LABEL: func.func @expand_to_what_is_known
func.func @expand_to_what_is_known(%x: tensor<1x4xf32>, %l: tensor<3x6xf32>) -> tensor<6x4xf32> {
  // CHECK: onnx.Expand %{{.*}} {shape = array<i64: 6, 4>} : (tensor<1x4xf32>) -> tensor<6x4xf32>
  %0 = onnx.Expand %x like %l {axis = 1 : i64, shape = array<i64: -1, 4>} : (tensor<1x4xf32>, tensor<3x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
