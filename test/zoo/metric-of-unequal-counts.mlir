// Means over the samples that count on each rank, averaged.
// Thread: https://github.com/horovod/horovod/issues/2897
// With ignored labels each rank divided by another number, and the accuracy was wrong.
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
                  %n: tensor<1xi64> {train.input = #train.input<"tokens", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %loss = train.sum_of_squares %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %n0 = tensor.extract %n[%c0] : tensor<1xi64>
    %count = arith.sitofp %n0 : i64 to f32
    %tokens = tensor.from_elements %count : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'arith.divf' divides metric "loss" by a count of this rank's own
    %a = arith.divf %loss, %tokens : tensor<f32>
    %m = collective.all_reduce mean %a on @world : tensor<f32>
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
                  %n: tensor<1xi64> {train.input = #train.input<"tokens", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %loss = train.sum_of_squares %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %n0 = tensor.extract %n[%c0] : tensor<1xi64>
    %count = arith.sitofp %n0 : i64 to f32
    %tokens = tensor.from_elements %count : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %a = collective.all_reduce sum %loss on @world : tensor<f32>
    %b = collective.all_reduce sum %tokens on @world : tensor<f32>
    %m = arith.divf %a, %b : tensor<f32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %m : tensor<4xf32>, tensor<f32>
  }
}
