// What a step is told to be: the role of each metric, and where samples meet. What nobody can follow is a warning.
// RUN: dist-opt %s --distribute-verify-samples --split-input-file --remarks=text -o /dev/null 2>&1 | FileCheck %s
// RUN: dist-opt %s --distribute-verify-samples --split-input-file 2>/dev/null | FileCheck %s --check-prefix=TEXT

// CHECK: loss: sum over samples; why:
// CHECK: 1 gradient, sum over samples; names: w
// CHECK-NOT: couple
// TEXT: module @sum
module @sum attributes {train.program} {
  train.dataset @data
  func.func @step(%w: tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<?x6xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0 : f64>})
      -> (tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %z = onnx.MatMul %x, %w : (tensor<?x6xf32>, tensor<6x3xf32>) -> tensor<?x3xf32>
    %loss = onnx.ReduceSum %z {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    %one = train.full_like %loss, 1.0 : tensor<f32>
    %dz = onnx.ReduceSumGrad %one, %z {keepdims = 0 : i64} : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %dw = onnx.Gemm %x, %dz {transA = 1 : i64} : (tensor<?x6xf32>, tensor<?x3xf32>) -> tensor<6x3xf32>
    %next = train.sgd %w gradient %dw rate %lr : tensor<6x3xf32>, tensor<f32>
    return %next, %loss : tensor<6x3xf32>, tensor<f32>
  }
}

// -----

// Every sample is held against all. What is made of all of them is whole, and has no total.
// CHECK: most: made of all samples together
// CHECK: nodes that couple samples, which are gathered from all ranks unless each trains on its own; names: {{.*}}remarks.mlir:
// TEXT: module @coupled
// TEXT-NOT: train.batch_total
module @coupled attributes {train.program} {
  train.dataset @data
  func.func @step(%x: tensor<?x6xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "most"}) {
    %all = onnx.CumSum %x {axis = 0 : i64} : (tensor<?x6xf32>) -> tensor<?x6xf32>
    %sum = onnx.ReduceSum %all {keepdims = 0 : i64} : (tensor<?x6xf32>) -> tensor<f32>
    %total = train.batch_total %sum : tensor<f32>
    return %total : tensor<f32>
  }
}

// -----

// Two variables, one warning.
// CHECK: :[[# @LINE + 11]]:{{[0-9]+}}: warning: 'tensor.pad' has no rule of sharding, so that it is not known what the samples make of it: gradients that depend on it are reduced as means; let it implement ShardingRuleOpInterface
// CHECK-NOT: warning
// TEXT: module @unknown
module @unknown attributes {train.program} {
  train.dataset @data
  func.func @step(%w: tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, %v: tensor<6x3xf32> {train.variable = #train.variable<"v", trainable>},
                  %x: tensor<?x6xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0 : f64>})
      -> (tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<6x3xf32> {train.variable = #train.variable<"v", trainable>}) {
    %z = onnx.MatMul %x, %w : (tensor<?x6xf32>, tensor<6x3xf32>) -> tensor<?x3xf32>
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %z low[0, 0] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<?x3xf32> to tensor<?x3xf32>
    %dw = onnx.Gemm %x, %p {transA = 1 : i64} : (tensor<?x6xf32>, tensor<?x3xf32>) -> tensor<6x3xf32>
    %w1 = train.sgd %w gradient %dw rate %lr : tensor<6x3xf32>, tensor<f32>
    %v1 = train.sgd %v gradient %dw rate %lr : tensor<6x3xf32>, tensor<f32>
    return %w1, %v1 : tensor<6x3xf32>, tensor<6x3xf32>
  }
}
