// Gradient and variable are cut over different axes.
// Thread: https://github.com/NVIDIA/Megatron-LM/issues/7452
// A mask was scattered over the default group, and what it masked over the group of the layer.
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
    %rank = collective.rank on @dp : index
    %length = arith.constant 4 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %rows = collective.rank on @tp : index
    %other = arith.muli %rows, %length : index
    %gp = tensor.extract_slice %r[%first] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %wp = tensor.extract_slice %w[%other] [4] [1] : tensor<8xf32> to tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.sgd' combines parts for the gradient of variable "w" that were cut at different places
    %n = train.sgd %wp gradient %gp rate %lr : tensor<4xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @tp : tensor<4xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}
