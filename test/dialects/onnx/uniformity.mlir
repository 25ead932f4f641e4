// Which random results are equal on every rank.
// RUN: dist-opt %s --distribute-print-uniformity -o /dev/null | FileCheck %s

// CHECK-LABEL: @random_tensors
func.func @random_tensors() {
  // CHECK: varying {{.*}} = onnx.RandomNormal
  %0 = onnx.RandomNormal {shape = array<i64: 4>} : tensor<4xf32>
  // CHECK: uniform {{.*}} = onnx.RandomNormal
  %1 = onnx.RandomNormal {seed = 1.0 : f32, shape = array<i64: 4>} : tensor<4xf32>
  // CHECK: varying {{.*}} = onnx.RandomUniform
  %2 = onnx.RandomUniform {shape = array<i64: 4>} : tensor<4xf32>
  // CHECK: uniform {{.*}} = onnx.RandomUniform
  %3 = onnx.RandomUniform {seed = 1.0 : f32, shape = array<i64: 4>} : tensor<4xf32>
  return
}

// What is dropped depends on the sample, unless nothing is.
// CHECK-LABEL: @dropouts
func.func @dropouts(%x: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
  %true = onnx.Constant dense<true> : tensor<i1>
  // CHECK: varying varying {{.*}} = onnx.Dropout
  %0:2 = onnx.Dropout %x training %true : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>)
  // CHECK: uniform uniform {{.*}} = onnx.Dropout
  %1:2 = onnx.Dropout %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
  return
}

// Of a custom operation nothing is known.
// CHECK-LABEL: @custom
func.func @custom(%x: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
  // CHECK: varying {{.*}} = onnx.custom
  %0 = onnx.custom "com.acme" "Swirl"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
