// Where the samples are that a dropout draws for, told by the operations in front of it.
// RUN: dist-opt %s --train="loss=output" | FileCheck %s

// CHECK-LABEL: func.func @step
// Along dimension 0 nothing is said.
// CHECK: onnx.Dropout %{{[a-z0-9]+}} training %{{[a-z0-9_]+}} : (tensor<?x3x4xf32>
// Sequence first; folded with it; last; and of a part that is folded with samples after it.
// CHECK: onnx.Dropout {{.*}} {samples = array<i64: 1, 1>} : (tensor<3x?x4xf32>
// CHECK: onnx.Dropout {{.*}} {samples = array<i64: 0, 3>} : (tensor<?x4xf32>
// CHECK: onnx.Dropout {{.*}} {samples = array<i64: 2, 1>} : (tensor<3x4x?xf32>
// CHECK: onnx.Dropout %{{[a-z0-9]+}} training %{{[a-z0-9_]+}} : (tensor<?x2xf32>
// Of a weight there is one mask.
// CHECK: onnx.Dropout {{.*}} {samples = array<i64>} : (tensor<3x4xf32>
// Noise is placed like the value whose shape it has.
// CHECK: onnx.RandomNormalLike {{.*}} {samples = array<i64: 1, 1>} : (tensor<3x?x4xf32>
// CHECK: onnx.RandomUniformLike {{.*}} {samples = array<i64>} : (tensor<3x4xf32>
// CHECK: return
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3x4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  func.func @forward(%w: tensor<3x4xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %0:2 = onnx.Dropout %x : (tensor<?x3x4xf32>) -> (tensor<?x3x4xf32>, tensor<?x3x4xi1>)
    %first = onnx.Transpose %0#0 {perm = array<i64: 1, 0, 2>} : (tensor<?x3x4xf32>) -> tensor<3x?x4xf32>
    %1:2 = onnx.Dropout %first : (tensor<3x?x4xf32>) -> (tensor<3x?x4xf32>, tensor<3x?x4xi1>)
    %folded = onnx.Reshape %1#0 {shape = array<i64: -1, 4>} : (tensor<3x?x4xf32>) -> tensor<?x4xf32>
    %2:2 = onnx.Dropout %folded : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi1>)
    %unfolded = onnx.Reshape %2#0 {shape = array<i64: 3, -1, 4>} : (tensor<?x4xf32>) -> tensor<3x?x4xf32>
    %last = onnx.Transpose %unfolded {perm = array<i64: 0, 2, 1>} : (tensor<3x?x4xf32>) -> tensor<3x4x?xf32>
    %3:2 = onnx.Dropout %last : (tensor<3x4x?xf32>) -> (tensor<3x4x?xf32>, tensor<3x4x?xi1>)
    %back = onnx.Transpose %3#0 {perm = array<i64: 2, 0, 1>} : (tensor<3x4x?xf32>) -> tensor<?x3x4xf32>
    %heads = onnx.Reshape %back {shape = array<i64: -1, 2>} : (tensor<?x3x4xf32>) -> tensor<?x2xf32>
    %4:2 = onnx.Dropout %heads : (tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xi1>)
    %samples = onnx.Reshape %4#0 {shape = array<i64: -1, 3, 4>} : (tensor<?x2xf32>) -> tensor<?x3x4xf32>
    %5:2 = onnx.Dropout %w : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi1>)
    %noise = onnx.RandomNormalLike %first : (tensor<3x?x4xf32>) -> tensor<3x?x4xf32>
    %turned = onnx.Transpose %noise {perm = array<i64: 1, 0, 2>} : (tensor<3x?x4xf32>) -> tensor<?x3x4xf32>
    %blur = onnx.RandomUniformLike %w : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %6 = onnx.Mul %samples, %turned : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
    %7 = onnx.Mul %6, %blur : (tensor<?x3x4xf32>, tensor<3x4xf32>) -> tensor<?x3x4xf32>
    %y = onnx.Mul %7, %5#0 : (tensor<?x3x4xf32>, tensor<3x4xf32>) -> tensor<?x3x4xf32>
    %loss = onnx.ReduceMean %y {keepdims = 0 : i64} : (tensor<?x3x4xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
