// Clipped by the norm of the part that a rank holds.
// Thread: https://github.com/pytorch/pytorch/issues/170862
// With sharded gradients the norm was that of the local shard, on each rank another one.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state, shard<4>>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %v : tensor<4xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<2xf32> {train.variable = #v},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.reduce_scatter mean %g along 0 on @world : tensor<4xf32> -> tensor<2xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.global_norm' is not reduced over the ranks, so that 'train.clip' would do something else on each rank
    %n = train.global_norm %r : tensor<2xf32>
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<2xf32>
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %new, %v1 = train.momentum %part gradient %c velocity %v rate %lr {alpha = 0.9 : f32} : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1, %v1 : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state, shard<4>>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %v : tensor<4xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<2xf32> {train.variable = #v},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.reduce_scatter mean %g along 0 on @world : tensor<4xf32> -> tensor<2xf32>
    %own = train.sum_of_squares %r : tensor<2xf32>
    %all = collective.all_reduce sum %own on @world : tensor<f32>
    %n = math.sqrt %all : tensor<f32>
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<2xf32>
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %new, %v1 = train.momentum %part gradient %c velocity %v rate %lr {alpha = 0.9 : f32} : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1, %v1 : tensor<4xf32>, tensor<2xf32>
  }
}
