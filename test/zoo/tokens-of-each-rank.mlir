// A mean over the tokens of each rank, averaged over ranks.
// Thread: https://github.com/huggingface/transformers/issues/34242
// The loss was divided by the tokens of a process, and DDP averaged: with other counts, other weights.
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
    %c0 = arith.constant 0 : index
    %n0 = tensor.extract %n[%c0] : tensor<1xi64>
    %count = arith.sitofp %n0 : i64 to f32
    %tokens = tensor.from_elements %count : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %over = arith.divf %one, %tokens : tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.scale' divides the gradient of variable "w" by a count of this rank's own
    %m = train.scale %g by %over : tensor<4xf32>, tensor<f32>
    %r = collective.all_reduce mean %m on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
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
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %n0 = tensor.extract %n[%c0] : tensor<1xi64>
    %count = arith.sitofp %n0 : i64 to f32
    %tokens = tensor.from_elements %count : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %r = collective.all_reduce sum %g on @world : tensor<4xf32>
    %all = collective.all_reduce sum %tokens on @world : tensor<f32>
    %over = arith.divf %one, %all : tensor<f32>
    %m = train.scale %r by %over : tensor<4xf32>, tensor<f32>
    %w1 = train.sgd %w gradient %m rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
