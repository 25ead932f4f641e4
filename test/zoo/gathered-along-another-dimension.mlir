// Cut along one dimension, gathered along the other.
// Thread: https://github.com/tenstorrent/tt-metal/issues/6448
// A gather that joined along the wrong dimension gave as many elements, in another order.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<4x4xf32>
    return %one : tensor<4x4xf32>
  }
  func.func @step(%w: tensor<4x4xf32> {train.variable = #w}, %x: tensor<4x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4x4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4x4xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<4x4xf32>
    %gp = tensor.extract_slice %r[0, %first] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %wp = tensor.extract_slice %w[0, %first] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<4x2xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_gather' does not undo the cut of variable "w"
    %all = collective.all_gather %n along 0 on @world : tensor<4x2xf32> -> tensor<8x2xf32>
    %row = tensor.collapse_shape %all [[0, 1]] : tensor<8x2xf32> into tensor<16xf32>
    %w1 = tensor.expand_shape %row [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    return %w1 : tensor<4x4xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<4x4xf32>
    return %one : tensor<4x4xf32>
  }
  func.func @step(%w: tensor<4x4xf32> {train.variable = #w}, %x: tensor<4x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4x4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4x4xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<4x4xf32>
    %gp = tensor.extract_slice %r[0, %first] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %wp = tensor.extract_slice %w[0, %first] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<4x2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 1 on @world : tensor<4x2xf32> -> tensor<4x4xf32>
    return %w1 : tensor<4x4xf32>
  }
}
