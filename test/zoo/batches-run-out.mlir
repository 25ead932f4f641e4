// A rank with fewer batches leaves the others waiting.
// Thread: https://github.com/pytorch/pytorch/issues/33148
// With an unequal number of batches the rank that is done first no longer takes part in reductions.
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
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : index
    %n0 = tensor.extract %n[%zero] : tensor<1xi64>
    %turns = arith.index_cast %n0 : i64 to index
    %w2 = scf.for %i = %zero to %turns step %one iter_args(%v = %w) -> (tensor<4xf32>) {
      %h = arith.mulf %v, %x : tensor<4xf32>
      // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' stands under control flow that ranks decide differently
      %r = collective.all_reduce mean %h on @world : tensor<4xf32>
      %v1 = train.sgd %v gradient %r rate %lr : tensor<4xf32>, tensor<f32>
      scf.yield %v1 : tensor<4xf32>
    }
    return %w2 : tensor<4xf32>
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
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
