// A dropout of what nobody knows about is placed along dimension 0, with a warning; one of a batch that is normalized knows its samples.
// RUN: dist-opt %s --train-place-draws --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK: onnx.Dropout %{{.+}} : (tensor<?x4xf32>)
// CHECK: onnx.Dropout %{{.+}} {samples = array<i64: 1, 1>} : (tensor<4x?xf32>)
// Said before, it stays.
// CHECK: onnx.Dropout %{{.+}} {samples = array<i64: 0, 2>} : (tensor<?x4xf32>)
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}, tensor<f32> {train.metric = "loss"}) {
    %c = arith.constant true
    %either = scf.if %c -> tensor<?x4xf32> {
      scf.yield %x : tensor<?x4xf32>
    } else {
      scf.yield %x : tensor<?x4xf32>
    }
    // expected-warning @+1 {{'onnx.Dropout' draws for values made by operations that have no rule of sharding: its samples are taken to lie along dimension 0}}
    %0:2 = onnx.Dropout %either : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi1>)
    %y, %rm, %rv, %m, %s = onnx.BatchNormInternal %x, %w, %w, %w, %w
      : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
     -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %turned = onnx.Transpose %y {perm = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>
    %1:2 = onnx.Dropout %turned : (tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xi1>)
    %2:2 = onnx.Dropout %x {samples = array<i64: 0, 2>} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi1>)
    %loss = onnx.ReduceMean %1#0 {keepdims = 0 : i64} : (tensor<4x?xf32>) -> tensor<f32>
    return %w, %loss : tensor<4xf32>, tensor<f32>
  }
}
