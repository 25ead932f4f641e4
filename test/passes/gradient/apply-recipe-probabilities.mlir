// A loss that takes scores warns of probabilities, and one that takes their logarithms of both, whatever stands between.
// RUN: split-file %s %t
// DEFINE: %{model} =
// DEFINE: %{loss} = softmax-cross-entropy
// DEFINE: %{warn} = dist-opt %t/%{model}.mlir --train-apply-recipe="loss=%{loss}" -o /dev/null 2>&1

// SILENT-NOT: warning
// REDEFINE: %{model} = softmax
// RUN: %{warn} | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX: warning: loss=softmax-cross-entropy takes scores, but the model ends in Softmax: Softmax is taken a second time, which learns little; export the model without its last Softmax, or with LogSoftmax in its place
// SOFTMAX-NOT: warning
// REDEFINE: %{loss} = nll
// RUN: %{warn} | FileCheck %s --check-prefix=LIKELIHOOD
// LIKELIHOOD: warning: loss=nll takes logarithms of probabilities, but the model ends in Softmax: what it learns is not to fit the labels; end the model in LogSoftmax, or in scores and say loss=softmax-cross-entropy
// REDEFINE: %{loss} = bce-with-logits
// RUN: %{warn} | FileCheck %s --check-prefix=BINARY
// BINARY: warning: loss=bce-with-logits takes scores, but the model ends in Softmax: Sigmoid is taken a second time, which learns little; export the model without its last Softmax
// REDEFINE: %{loss} = mse
// RUN: %{warn} | FileCheck %s --check-prefix=SILENT --allow-empty

// REDEFINE: %{model} = sigmoid
// REDEFINE: %{loss} = bce-with-logits
// RUN: %{warn} | FileCheck %s --check-prefix=SIGMOID
// SIGMOID: warning: loss=bce-with-logits takes scores, but the model ends in Sigmoid: Sigmoid is taken a second time, which learns little; export the model without its last Sigmoid

// Written out.
// REDEFINE: %{model} = written
// REDEFINE: %{loss} = softmax-cross-entropy
// RUN: %{warn} | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: warning: loss=softmax-cross-entropy takes scores, but the model ends in Softmax:

// Scores are no logarithms; logarithms of probabilities are scores.
// REDEFINE: %{model} = scores
// RUN: %{warn} | FileCheck %s --check-prefix=SILENT --allow-empty
// REDEFINE: %{loss} = nll
// RUN: %{warn} | FileCheck %s --check-prefix=SCORES
// SCORES: warning: loss=nll takes logarithms of probabilities, but the model ends in scores: what it learns
// REDEFINE: %{model} = logarithms
// RUN: %{warn} | FileCheck %s --check-prefix=SILENT --allow-empty
// REDEFINE: %{loss} = softmax-cross-entropy
// RUN: %{warn} | FileCheck %s --check-prefix=SILENT --allow-empty

// The loss of the graph itself.
// REDEFINE: %{model} = whole
// REDEFINE: %{loss} = output
// RUN: %{warn} | FileCheck %s --check-prefix=WHOLE
// WHOLE: warning: SoftmaxCrossEntropyLoss takes scores, but gets what Softmax makes: Softmax is taken a second time, which learns little; export the model without the Softmax before its loss

//--- softmax.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x3xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %1 = onnx.Softmax %0 {axis = 1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %2 = onnx.Identity %1 : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %2 : tensor<?x3xf32>
  }
}

//--- sigmoid.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x1xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x1xf32>
    return %0 : tensor<4x1xf32>
  }
  func.func @forward(%w: tensor<4x1xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
    %1 = onnx.Sigmoid %0 : (tensor<?x1xf32>) -> tensor<?x1xf32>
    %2 = onnx.Squeeze %1 {axes = array<i64: 1>} : (tensor<?x1xf32>) -> tensor<?xf32>
    return %2 : tensor<?xf32>
  }
}

//--- written.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x3xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %1 = onnx.Exp %0 : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %2 = onnx.ReduceSum %1 {axes = array<i64: 1>, keepdims = 1 : i64} : (tensor<?x3xf32>) -> tensor<?x1xf32>
    %3 = onnx.Div %1, %2 : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
    %4 = onnx.Identity %3 : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %4 : tensor<?x3xf32>
  }
}

//--- scores.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x3xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}

//--- logarithms.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x3xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %1 = onnx.LogSoftmax %0 {axis = 1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %1 : tensor<?x3xf32>
  }
}

//--- whole.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                     %l: tensor<?xi64> {train.input = #train.input<"l", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %1 = onnx.Softmax %0 {axis = 1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %2, %3 = onnx.SoftmaxCrossEntropyLoss %1, %l : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
    return %2 : tensor<f32>
  }
}
