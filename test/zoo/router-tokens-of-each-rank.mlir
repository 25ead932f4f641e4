// The load of an expert is a mean over the tokens that each rank did not mask.
// Thread: https://github.com/NVIDIA/Megatron-LM/issues/7452
// Each rank divided its loss of balance by the tokens that its mask left it, and the mean of these was reported.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 8 : i64}
  collective.group @tp members(#collective.blocks<4>)
  collective.group @dp members(#collective.strided<4>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %n: tensor<i64> {train.input = #train.input<"tokens", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<8xf32> {train.variable = #w}, tensor<f32> {train.metric = "balance"}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %load = train.sum_of_squares %x : tensor<8xf32>
    %c = arith.sitofp %n : tensor<i64> to tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'arith.divf' divides metric "balance" by a count of this rank's own
    %own = arith.divf %load, %c : tensor<f32>
    %balance = collective.all_reduce mean %own on @world : tensor<f32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1, %balance : tensor<8xf32>, tensor<f32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world {size = 8 : i64}
  collective.group @tp members(#collective.blocks<4>)
  collective.group @dp members(#collective.strided<4>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %n: tensor<i64> {train.input = #train.input<"tokens", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<8xf32> {train.variable = #w}, tensor<f32> {train.metric = "balance"}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %load = train.sum_of_squares %x : tensor<8xf32>
    %c = arith.sitofp %n : tensor<i64> to tensor<f32>
    %loads = collective.all_reduce sum %load on @world : tensor<f32>
    %counts = collective.all_reduce sum %c on @world : tensor<f32>
    %balance = arith.divf %loads, %counts : tensor<f32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1, %balance : tensor<8xf32>, tensor<f32>
  }
}
