// Running statistics of batch normalization that nobody synchronises.
// Thread: https://github.com/facebookresearch/fairscale/issues/68
// Batch norm keeps running statistics, which each rank moved by its own batches.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#m = #train.variable<"running_mean", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %m = arith.constant dense<0.0> : tensor<4xf32>
    return %w, %m : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %m: tensor<4xf32> {train.variable = #m},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    %keep = arith.constant dense<0.9> : tensor<4xf32>
    %take = arith.constant dense<0.1> : tensor<4xf32>
    %old = arith.mulf %m, %keep : tensor<4xf32>
    %part = arith.mulf %x, %take : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: variable "running_mean" leaves @step different on different ranks
    %m1 = arith.addf %old, %part : tensor<4xf32>
    return %w1, %m1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#m = #train.variable<"running_mean", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %m = arith.constant dense<0.0> : tensor<4xf32>
    return %w, %m : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %m: tensor<4xf32> {train.variable = #m},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    %mean = collective.all_reduce mean %x on @world : tensor<4xf32>
    %keep = arith.constant dense<0.9> : tensor<4xf32>
    %take = arith.constant dense<0.1> : tensor<4xf32>
    %old = arith.mulf %m, %keep : tensor<4xf32>
    %part = arith.mulf %mean, %take : tensor<4xf32>
    %m1 = arith.addf %old, %part : tensor<4xf32>
    return %w1, %m1 : tensor<4xf32>, tensor<4xf32>
  }
}
