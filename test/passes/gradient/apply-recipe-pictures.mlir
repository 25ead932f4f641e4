// Scores of pictures: a class for each place, and how often the largest score stands at it.
// RUN: dist-opt %s --train="loss=softmax-cross-entropy" | FileCheck %s
// RUN: dist-opt %s --train="loss=softmax-cross-entropy label-smoothing=0.1" | FileCheck %s --check-prefix=SMOOTH
// RUN: dist-opt %s --train="loss=nll" | FileCheck %s --check-prefix=NLL

// CHECK-LABEL: func.func @step
// CHECK-SAME: tensor<?x2x3xi64> {train.input = #train.input<"label", @data>}
// CHECK: onnx.SoftmaxCrossEntropyLoss {{.*}} : (tensor<?x5x2x3xf32>, tensor<?x2x3xi64>)
// CHECK-LABEL: func.func @evaluate
// CHECK: onnx.Transpose {{.*}} {perm = array<i64: 0, 2, 3, 1>}
// CHECK: train.accuracy {{.*}} : tensor<?x5xf32>, tensor<?xi64> -> tensor<?xf32>
// CHECK: onnx.Reshape {{.*}} {shape = array<i64: -1, 6>}

// SMOOTH-LABEL: func.func @step
// SMOOTH: onnx.SoftmaxCrossEntropyLoss {{.*}} {reduction = "none"} : (tensor<?x5x2x3xf32>, tensor<?x2x3xi64>) -> (tensor<?x2x3xf32>
// SMOOTH-LABEL: func.func @evaluate
// SMOOTH: train.accuracy {{.*}} : tensor<?x5xf32>, tensor<?xi64> -> tensor<?xf32>

// NLL-LABEL: func.func @step
// NLL: onnx.GatherElements {{.*}} {axis = 1 : i64} : (tensor<?x5x2x3xf32>, tensor<?x1x2x3xi64>)
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<5x2x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<5x2x3xf32>
    return %0 : tensor<5x2x3xf32>
  }
  func.func @forward(%w: tensor<5x2x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x5x2x3xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x5x2x3xf32> {train.output = "scores"}) {
    %0 = onnx.Mul %x, %w : (tensor<?x5x2x3xf32>, tensor<5x2x3xf32>) -> tensor<?x5x2x3xf32>
    return %0 : tensor<?x5x2x3xf32>
  }
}
