// The gradient of gathered values is cut, and what others computed of it is lost.
// Thread: https://github.com/NVIDIA-NeMo/Automodel/pull/1260
// The gradient of an all_gather is a reduce_scatter; where it is taken for equal on all ranks, each keeps its part of its own.
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
    %g = arith.mulf %w, %x : tensor<8xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %gp = tensor.extract_slice %g[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: the gradient that 'train.sgd' takes is not reduced over the ranks
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
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
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %gp = collective.reduce_scatter mean %g along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}
