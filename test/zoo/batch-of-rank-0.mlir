// All ranks train on the samples of rank 0.
// Thread: https://github.com/k2-fsa/icefall/issues/1616
// The sampler gave every rank the same batch: as many ranks as one likes learn what one does.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.broadcast' takes input "x" of rank 0 alone, and the gradient of variable "w" is made of it
    %b = collective.broadcast %x from 0 on @world : tensor<8xf32>
    %g = arith.mulf %w, %b : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
