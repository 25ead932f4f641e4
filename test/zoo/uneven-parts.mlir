// A mean of means over unequal parts of a batch.
// Thread: https://github.com/pytorch/pytorch/issues/67253
// DDP divides by the number of processes although each holds another number of samples.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 13 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' takes a mean of means: ranks hold unequal parts of the batch
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
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
  train.dataset @data {global_batch = 13 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %share = train.batch_weight @data : tensor<f32>
    %s = train.scale %g by %share : tensor<4xf32>, tensor<f32>
    %r = collective.all_reduce sum %s on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
