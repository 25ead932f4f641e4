// A loss that shrinks with the number of devices.
// Thread: https://github.com/tensorflow/tensorflow/issues/55321
// The loss of each replica was a mean, and was divided by the replicas once more: 1/x on x devices.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %loss = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<4xf32>) -> tensor<f32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %ranks = collective.size on @world : index
    %integer = arith.index_cast %ranks : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %one = arith.constant 1.0 : f32
    %over = arith.divf %one, %float : f32
    %inverse = tensor.from_elements %over : tensor<f32>
    %a = collective.all_reduce mean %loss on @world : tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.scale' makes metric "loss" 1/N times the mean over the ranks
    %m = train.scale %a by %inverse : tensor<f32>, tensor<f32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %m : tensor<4xf32>, tensor<f32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %loss = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<4xf32>) -> tensor<f32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %ranks = collective.size on @world : index
    %integer = arith.index_cast %ranks : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %one = arith.constant 1.0 : f32
    %over = arith.divf %one, %float : f32
    %inverse = tensor.from_elements %over : tensor<f32>
    %a = collective.all_reduce sum %loss on @world : tensor<f32>
    %m = train.scale %a by %inverse : tensor<f32>, tensor<f32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %m : tensor<4xf32>, tensor<f32>
  }
}
