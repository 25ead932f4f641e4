// Cut over two axes, and gathered in the order of the cuts.
// Thread: https://github.com/pytorch/pytorch/issues/129229
// The last cut must be undone first: parts came back in another order.
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
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %outer = collective.rank on @tp : index
    %inner = collective.rank on @dp : index
    %four = arith.constant 4 : index
    %two = arith.constant 2 : index
    %o = arith.muli %outer, %four : index
    %i = arith.muli %inner, %two : index
    %gh = tensor.extract_slice %r[%o] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %gp = tensor.extract_slice %gh[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %wh = tensor.extract_slice %w[%o] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %wp = tensor.extract_slice %wh[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_gather' does not undo the cut of variable "w"
    %half = collective.all_gather %n along 0 on @tp : tensor<2xf32> -> tensor<4xf32>
    %w1 = collective.all_gather %half along 0 on @dp : tensor<4xf32> -> tensor<8xf32>
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
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %outer = collective.rank on @tp : index
    %inner = collective.rank on @dp : index
    %four = arith.constant 4 : index
    %two = arith.constant 2 : index
    %o = arith.muli %outer, %four : index
    %i = arith.muli %inner, %two : index
    %gh = tensor.extract_slice %r[%o] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %gp = tensor.extract_slice %gh[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %wh = tensor.extract_slice %w[%o] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %wp = tensor.extract_slice %wh[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %half = collective.all_gather %n along 0 on @dp : tensor<2xf32> -> tensor<4xf32>
    %w1 = collective.all_gather %half along 0 on @tp : tensor<4xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}
