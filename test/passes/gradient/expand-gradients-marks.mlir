// The gradient of a trainable variable is marked where the model's own operators take it, so that the passes of
// distribution find it.
// RUN: dist-opt %s --train-expand-gradients=clean=true --split-input-file | FileCheck %s

module attributes {train.program} {
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                  %f: tensor<4xf32> {train.variable = #train.variable<"f", other>},
                  %x: tensor<4xf32>, %rate: tensor<f32>)
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<4xf32>) {
    %p = onnx.Mul %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = onnx.Mul %p, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // The gradient of `f`, which is not trained, is not marked.
    // CHECK: %[[DW:.*]] = train.mark_gradient
    // CHECK-NOT: train.mark_gradient
    %dw, %df = train.gradient %q wrt %w, %f : tensor<4xf32> wrt tensor<4xf32>, tensor<4xf32>
    // CHECK: onnx.Mul %{{.*}}, %[[DW]]
    %move = onnx.Mul %rate, %dw : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %new = onnx.Sub %w, %move : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %size = onnx.Neg %df : (tensor<4xf32>) -> tensor<4xf32>
    return %new, %size : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// An optimizer says itself what its gradient is. A gradient that a loss is made of is no update.
module attributes {train.program} {
  // CHECK-LABEL: func.func @step
  // CHECK-NOT: train.mark_gradient
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<4xf32>, %rate: tensor<f32>)
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %p = onnx.Mul %w, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %first = train.gradient %p wrt %w : tensor<4xf32> wrt tensor<4xf32>
    %penalty = onnx.Mul %first, %first : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %second = train.gradient %penalty wrt %w : tensor<4xf32> wrt tensor<4xf32>
    %new = train.sgd %w gradient %second rate %rate : tensor<4xf32>, tensor<f32>
    return %new : tensor<4xf32>
  }
}
