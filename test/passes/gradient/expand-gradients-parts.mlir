// The gradient of a lookup is a list of rows; that of a part is the whole with zeros elsewhere.
// RUN: dist-opt %s --train-expand-gradients --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @lookup
// CHECK-SAME: (%[[T:.*]]: tensor<1000x16xf32>, %[[I:.*]]: tensor<?xi64>, %[[D:.*]]: tensor<?x16xf32>)
func.func @lookup(%t: tensor<1000x16xf32>, %i: tensor<?xi64>, %d: tensor<?x16xf32>) -> tensor<1000x16xf32> {
  // CHECK: onnx.Mul %{{.*}}, %[[D]]
  // CHECK: %[[R:.*]] = onnx.Mul %{{.*}}, %[[D]]
  // CHECK: %[[G:.*]] = train.scatter_rows %[[I]], %[[R]] : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32>
  // CHECK: return %[[G]]
  %0 = onnx.Gather %t, %i : (tensor<1000x16xf32>, tensor<?xi64>) -> tensor<?x16xf32>
  %1 = onnx.Mul %0, %d : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %g = train.gradient %1 wrt %t : tensor<?x16xf32> wrt tensor<1000x16xf32>
  return %g : tensor<1000x16xf32>
}

// CHECK-LABEL: func.func @lookup_of_several
// CHECK-SAME: %[[I:[a-z0-9]*]]: tensor<?x3xi32>
func.func @lookup_of_several(%t: tensor<9x2xf32>, %i: tensor<?x3xi32>) -> tensor<9x2xf32> {
  // CHECK-DAG: %[[F:.*]] = onnx.Reshape %[[I]] {{.*}}shape = array<i64: -1>{{.*}} -> tensor<?xi32>
  // CHECK-DAG: %[[R:.*]] = onnx.Reshape %{{.*}} {{.*}}shape = array<i64: -1, 2>{{.*}} -> tensor<?x2xf32>
  // CHECK: train.scatter_rows %[[F]], %[[R]] : tensor<?xi32>, tensor<?x2xf32> -> tensor<9x2xf32>
  %0 = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?x3xi32>) -> tensor<?x3x2xf32>
  %g = train.gradient %0 wrt %t : tensor<?x3x2xf32> wrt tensor<9x2xf32>
  return %g : tensor<9x2xf32>
}

// CHECK-LABEL: func.func @lookup_in_the_middle
func.func @lookup_in_the_middle(%t: tensor<2x5x3xf32>, %i: tensor<?xi64>) -> tensor<2x5x3xf32> {
  // CHECK: onnx.Transpose %{{.*}} {perm = array<i64: 1, 0, 2>}
  // CHECK: %[[S:.*]] = train.scatter_rows {{.*}} -> tensor<5x2x3xf32>
  // CHECK: onnx.Transpose %[[S]] {perm = array<i64: 1, 0, 2>}
  %0 = onnx.Gather %t, %i {axis = 1 : i64} : (tensor<2x5x3xf32>, tensor<?xi64>) -> tensor<2x?x3xf32>
  %g = train.gradient %0 wrt %t : tensor<2x?x3xf32> wrt tensor<2x5x3xf32>
  return %g : tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @part
func.func @part(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  // CHECK: %[[Z:.*]] = train.full_like %{{.*}}, 0.000000e+00 : tensor<?x3xf32>
  // CHECK: onnx.Concat %{{.*}}, %[[Z]] {axis = 1 : i64}
  %0:2 = onnx.Split %x {axis = 1 : i64, split = array<i64: 2, 3>} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>)
  %g = train.gradient %0#0 wrt %x : tensor<?x2xf32> wrt tensor<?x5xf32>
  return %g : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @whole
func.func @whole(%a: tensor<?x2xf32>, %b: tensor<?x3xf32>, %d: tensor<?x5xf32>) -> tensor<?x3xf32> {
  // CHECK: %[[P:.*]]:2 = onnx.Split %{{.*}} {axis = 1 : i64, split = array<i64: 2, 3>}
  // CHECK: return %[[P]]#1
  %0 = onnx.Concat %a, %b {axis = 1 : i64} : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>
  %1 = onnx.Mul %0, %d : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %g = train.gradient %1 wrt %b : tensor<?x5xf32> wrt tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}
