// A program whose variables stay equal passes, as it is.
// RUN: dist-opt %s --distribute-verify-replication | FileCheck %s

#w = #train.variable<"w", trainable>
#count = #train.variable<"count", other>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #count}) {
    %random = onnx.custom "com.acme" "Random" () : () -> tensor<4xf32>
    %zero = arith.constant dense<0> : tensor<i64>
    %w = collective.broadcast %random from 0 on @world : tensor<4xf32>
    return %w, %zero : tensor<4xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %n: tensor<i64> {train.variable = #count},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #count}, tensor<4xf32> {train.output = "local"}) {
    %one = arith.constant dense<1> : tensor<i64>
    %half = arith.constant dense<0.5> : tensor<f32>
    // CHECK: %[[R:.*]] = collective.all_reduce mean
    %g = collective.all_reduce mean %x on @world : tensor<4xf32>
    // Scaling afterwards is no second reduction.
    %scaled = train.scale %g by %half : tensor<4xf32>, tensor<f32>
    %w1 = train.sgd %w gradient %scaled rate %lr : tensor<4xf32>, tensor<f32>
    %n1 = arith.addi %n, %one : tensor<i64>
    return %w1, %n1, %x : tensor<4xf32>, tensor<i64>, tensor<4xf32>
  }
}
