// Parts of both axes, whose norms are added up over one.
// Thread: https://github.com/NVIDIA/Megatron-LM/pull/5916
// With expert and tensor parallelism together the norm lacked what ranks of the other axis held.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @tp members(#collective.blocks<2>)
  collective.group @dp members(#collective.strided<2>)
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
    %own = train.sum_of_squares %gp : tensor<2xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' makes the norm 1/1.414 times what it is
    %all = collective.all_reduce sum %own on @tp : tensor<f32>
    %norm = math.sqrt %all : tensor<f32>
    %c = train.clip %gp norm %norm {max_norm = 1.0 : f32} : tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %c rate %lr : tensor<2xf32>, tensor<f32>
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
  collective.group @tp members(#collective.blocks<2>)
  collective.group @dp members(#collective.strided<2>)
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
    %own = train.sum_of_squares %gp : tensor<2xf32>
    %all = collective.all_reduce sum %own on @world : tensor<f32>
    %norm = math.sqrt %all : tensor<f32>
    %c = train.clip %gp norm %norm {max_norm = 1.0 : f32} : tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %c rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}
