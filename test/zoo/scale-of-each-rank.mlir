// Unscaled by a loss scale that each rank keeps for itself.
// Thread: https://github.com/pytorch/pytorch/issues/136009
// Gradients were summed at several scales and unscaled by one: parameters drifted apart.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#s = #train.variable<"loss_scale", state, per_rank>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %s = arith.constant dense<1024.0> : tensor<f32>
    return %w, %s : tensor<4xf32>, tensor<f32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %s: tensor<f32> {train.variable = #s},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %u = train.unscale %r by %s : tensor<4xf32>
    // CHECK: :[[# @LINE + 2]]:{{[0-9]+}}: error: variable "w" leaves @step different on different ranks
    // CHECK: note: and so does the result of 'train.unscale'
    %w1 = train.sgd %w gradient %u rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %s : tensor<4xf32>, tensor<f32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#s = #train.variable<"loss_scale", state>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %s = arith.constant dense<1024.0> : tensor<f32>
    return %w, %s : tensor<4xf32>, tensor<f32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %s: tensor<f32> {train.variable = #s},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %u = train.unscale %r by %s : tensor<4xf32>
    %w1 = train.sgd %w gradient %u rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %s : tensor<4xf32>, tensor<f32>
  }
}
