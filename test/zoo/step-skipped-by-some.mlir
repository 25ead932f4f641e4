// A rank skips the step that the others make.
// Thread: https://github.com/facebookresearch/fairscale/pull/179
// The check for infinities was not shared by the ranks: one skipped the update, the others went on and waited.
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
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.all_finite' comes before 'collective.all_reduce', so that 'train.select' would do something else on each rank
    %f = train.all_finite %g : tensor<4xf32>
    %w2 = train.select %f, %w1, %w : tensor<4xf32>
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
    %f = train.all_finite %r : tensor<4xf32>
    %w2 = train.select %f, %w1, %w : tensor<4xf32>
    return %w2 : tensor<4xf32>
  }
}
