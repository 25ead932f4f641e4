// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL

// CHECK-LABEL: func.func @parts
func.func @parts(%t: tensor<1000x16xf32>, %i: tensor<?x2xi64>, %x: tensor<?x24xf32>) {
  // CHECK: onnx.Gather %{{.*}}, %{{.*}} : (tensor<1000x16xf32>, tensor<?x2xi64>) -> tensor<?x2x16xf32>
  %0 = onnx.Gather %t, %i : (tensor<1000x16xf32>, tensor<?x2xi64>) -> tensor<?x2x16xf32>
  // CHECK: onnx.Gather %{{.*}}, %{{.*}} {axis = -1 : i64} : (tensor<1000x16xf32>, tensor<?x2xi64>) -> tensor<1000x?x2xf32>
  %1 = onnx.Gather %t, %i {axis = -1 : i64} : (tensor<1000x16xf32>, tensor<?x2xi64>) -> tensor<1000x?x2xf32>
  // CHECK: onnx.Split
  %2:2 = onnx.Split %x {axis = 1 : i64, split = array<i64: 16, 8>} : (tensor<?x24xf32>) -> (tensor<?x16xf32>, tensor<?x8xf32>)
  // CHECK: onnx.Concat
  %3 = onnx.Concat %2#1, %2#0 {axis = -1 : i64} : (tensor<?x8xf32>, tensor<?x16xf32>) -> tensor<?x24xf32>
  return
}

// CANONICAL-LABEL: func.func @one_part
func.func @one_part(%x: tensor<?x24xf32>) -> tensor<?x24xf32> {
  // CANONICAL-NEXT: return %arg0
  %0 = onnx.Concat %x {axis = 1 : i64} : (tensor<?x24xf32>) -> tensor<?x24xf32>
  return %0 : tensor<?x24xf32>
}
