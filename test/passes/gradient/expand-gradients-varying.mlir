// Gradients of what has more sizes that vary than a Reshape infers, or than a Split can say.
// RUN: dist-opt %s --train-expand-gradients --canonicalize | FileCheck %s

// The rows go into zeros that are as many as those of the table.
// CHECK-LABEL: func.func @table_of_varying_size
// CHECK-SAME: (%[[T:.*]]: tensor<?x2xf32>, %[[I:.*]]: tensor<3xi64>)
func.func @table_of_varying_size(%t: tensor<?x2xf32>, %i: tensor<3xi64>) -> tensor<?x2xf32> {
  // CHECK-DAG: %[[ZEROS:.*]] = train.full_like %[[T]]
  // CHECK-DAG: %[[PLACES:.*]] = onnx.Unsqueeze %[[I]] {axes = array<i64: 1>}
  // CHECK: onnx.ScatterND %[[ZEROS]], %[[PLACES]], %{{.*}} {reduction = "add"}
  %0 = onnx.Gather %t, %i : (tensor<?x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  %g = train.gradient %0 wrt %t : tensor<3x2xf32> wrt tensor<?x2xf32>
  return %g : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @two_varying_sizes
func.func @two_varying_sizes(%t: tensor<?x5xf32>, %i: tensor<?x2xi64>) -> tensor<?x5xf32> {
  // CHECK: onnx.ScatterND {{.*}} -> tensor<5x?xf32>
  // CHECK-NEXT: onnx.Transpose {{.*}} -> tensor<?x5xf32>
  %0 = onnx.Gather %t, %i {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x?x2xf32>
  %g = train.gradient %0 wrt %t : tensor<?x?x2xf32> wrt tensor<?x5xf32>
  return %g : tensor<?x5xf32>
}

// Parts of which one varies are counted from either end.
// CHECK-LABEL: func.func @part_of_varying_size
func.func @part_of_varying_size(%a: tensor<3x2xf32>, %x: tensor<?x2xf32>, %b: tensor<1x2xf32>, %c: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>) {
  // CHECK-DAG: onnx.Slice {{.*}}ends = array<i64: 3>, starts = array<i64: 0>
  // CHECK-DAG: onnx.Slice {{.*}}ends = array<i64: -5>, starts = array<i64: 3>
  // CHECK-DAG: onnx.Slice {{.*}}ends = array<i64: -4>, starts = array<i64: -5>
  // CHECK-DAG: onnx.Slice {{.*}}ends = array<i64: 9223372036854775807>, starts = array<i64: -4>
  %0 = onnx.Concat %a, %x, %b, %c {axis = 0 : i64} : (tensor<3x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %1 = onnx.Exp %0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %g:4 = train.gradient %1 wrt %a, %x, %b, %c : tensor<?x2xf32> wrt tensor<3x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>
  return %g#0, %g#1, %g#2, %g#3 : tensor<3x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>
}

// Of several, the entries are looked up after those of the parts before.
// CHECK-LABEL: func.func @parts_of_varying_size
// CHECK-SAME: (%[[X:.*]]: tensor<?x2xf32>, %[[Y:.*]]: tensor<?x2xf32>)
func.func @parts_of_varying_size(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  // CHECK: onnx.Expand %{{.*}} like %[[X]]
  // CHECK: onnx.CumSum
  // CHECK: onnx.Gather
  // CHECK: onnx.Expand %{{.*}} like %[[Y]]
  // CHECK: onnx.Gather
  %0 = onnx.Concat %x, %y {axis = 0 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = onnx.Exp %0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %g:2 = train.gradient %1 wrt %x, %y : tensor<?x2xf32> wrt tensor<?x2xf32>, tensor<?x2xf32>
  return %g#0, %g#1 : tensor<?x2xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @reshape_of_two_varying_sizes
func.func @reshape_of_two_varying_sizes(%x: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  // CHECK: onnx.Gather {{.*}} -> tensor<?x?x3xf32>
  %0 = onnx.Reshape %x {shape = array<i64: -1>} : (tensor<?x?x3xf32>) -> tensor<?xf32>
  %1 = onnx.Exp %0 : (tensor<?xf32>) -> tensor<?xf32>
  %g = train.gradient %1 wrt %x : tensor<?xf32> wrt tensor<?x?x3xf32>
  return %g : tensor<?x?x3xf32>
}
