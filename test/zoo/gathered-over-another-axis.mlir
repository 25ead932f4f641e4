// Cut over one axis, gathered over the other.
// Thread: https://github.com/NVIDIA/Megatron-LM/issues/7452
// Saved activations were gathered over the global group and not over the one that had cut them: replicas were mixed.
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
    %rank = collective.rank on @tp : index
    %length = arith.constant 4 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %gp = tensor.extract_slice %r[%first] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %wp = tensor.extract_slice %w[%first] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_gather' does not undo the cut of variable "w": the parts were cut along another dimension or over another group
    %w1 = collective.all_gather %n along 0 on @dp : tensor<4xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}
