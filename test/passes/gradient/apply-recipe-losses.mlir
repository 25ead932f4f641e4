// Graphs whose outputs do not fit the loss that the recipe asks for.
// RUN: split-file %s %t
// RUN: dist-opt %t/scores.mlir --train-apply-recipe --split-input-file --verify-diagnostics
// RUN: dist-opt %t/named.mlir --train-apply-recipe="loss=output:cost" --split-input-file --verify-diagnostics
// RUN: dist-opt %t/output.mlir --train-apply-recipe="loss=output" --split-input-file --verify-diagnostics

//--- scores.mlir
module attributes {train.program} {
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  // expected-error @below {{recipe: loss=softmax-cross-entropy needs a graph with one output, got 2: a: tensor<4x3xf32>, b: tensor<4x3xf32>; leave the one that has them, by onnx.utils.extract_model}}
  func.func @forward(%0: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4x3xf32> {train.output = "a"}, tensor<4x3xf32> {train.output = "b"}) {
    return %0, %0 : tensor<4x3xf32>, tensor<4x3xf32>
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  // expected-error @below {{needs scores of shape [batch, classes, ...], but the output is a scalar; if it is the loss, say loss=output}}
  func.func @forward(%0: tensor<f32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<f32> {train.metric = "a"}) {
    return %0 : tensor<f32>
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  // expected-error @below {{needs float scores of shape [batch, classes, ...], got 'tensor<4xf32>'}}
  func.func @forward(%0: tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4xf32> {train.output = "a"}) {
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  // expected-error @below {{adds the input 'label', but the graph has one already; if it ends in its loss, say loss=output}}
  func.func @forward(%0: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %1: tensor<?xi64> {train.input = #train.input<"label", @data>})
      -> (tensor<4x3xf32> {train.output = "a"}) {
    return %0 : tensor<4x3xf32>
  }
}

//--- output.mlir
module attributes {train.program} {
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  // expected-error @below {{recipe: loss=output needs a scalar float output, but the graph has a: tensor<4x3xf32>; end it in one number, by a ReduceMean with keepdims=0}}
  func.func @forward(%0: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4x3xf32> {train.output = "a"}) {
    return %0 : tensor<4x3xf32>
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  // expected-error @below {{recipe: loss=output needs one scalar float output, but the graph has several: a, b; say which one: loss=output:a}}
  func.func @forward(%0: tensor<f32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<f32> {train.metric = "a"}, tensor<f32> {train.metric = "b"}) {
    return %0, %0 : tensor<f32>, tensor<f32>
  }
}

//--- named.mlir
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  // expected-error @below {{recipe: loss=output:cost needs a scalar float output of this name; the graph has total, b: tensor<4xf32>}}
  func.func @forward(%0: tensor<f32> {train.variable = #train.variable<"w", trainable>}, %1: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.metric = "total"}, tensor<4xf32> {train.output = "b"}) {
    return %0, %1 : tensor<f32>, tensor<4xf32>
  }
  train.dataset @data
}
