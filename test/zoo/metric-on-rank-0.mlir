// Rank 0 averages a metric that the others do not give.
// Thread: https://github.com/horovod/horovod/issues/600
// Validation ran on rank 0 only, and its averages waited for ranks that never came.
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
    %loss = train.sum_of_squares %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %rank = collective.rank on @world : index
    %zero = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %rank, %zero : index
    %m = scf.if %isFirst -> tensor<f32> {
      // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' stands under control flow that ranks decide differently
      %a = collective.all_reduce mean %loss on @world : tensor<f32>
      scf.yield %a : tensor<f32>
    } else {
      scf.yield %loss : tensor<f32>
    }
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
    %loss = train.sum_of_squares %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %m = collective.all_reduce mean %loss on @world : tensor<f32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %m : tensor<4xf32>, tensor<f32>
  }
}
