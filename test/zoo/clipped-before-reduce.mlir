// Clipped by a norm that each rank takes of its own gradient.
// Thread: https://github.com/horovod/horovod/issues/1346
// In two of three frameworks gradients were clipped locally, before the allreduce: not what one device computes.
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
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.global_norm' comes before 'collective.all_reduce', so that 'train.clip' would do something else on each rank
    %n = train.global_norm %g : tensor<4xf32>
    %c = train.clip %g norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' of a gradient comes after 'train.clip'
    %r = collective.all_reduce mean %c on @world : tensor<4xf32>
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
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %n = train.global_norm %r : tensor<4xf32>
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    %w1 = train.sgd %w gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
