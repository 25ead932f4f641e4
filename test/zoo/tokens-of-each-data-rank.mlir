// A mean over the tokens of one data rank, though others have more.
// Thread: https://github.com/NVIDIA/Megatron-LM/issues/7452
// The loss of predicted tokens was divided by a rank's own count of valid ones, and the quotients were averaged.
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
      -> (tensor<8xf32> {train.variable = #w}) {
    %c = arith.sitofp %n : tensor<i64> to tensor<f32>
    %g = arith.mulf %w, %x : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %i = arith.divf %one, %c : tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.scale' divides the gradient of variable "w" by a count of this rank's own
    %h = train.scale %g by %i : tensor<8xf32>, tensor<f32>
    %a = collective.all_reduce mean %h on @tp : tensor<8xf32>
    %r = collective.all_reduce mean %a on @dp : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
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
      -> (tensor<8xf32> {train.variable = #w}) {
    %c = arith.sitofp %n : tensor<i64> to tensor<f32>
    %g = arith.mulf %w, %x : tensor<8xf32>
    %all = collective.all_reduce mean %c on @world : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %i = arith.divf %one, %all : tensor<f32>
    %h = train.scale %g by %i : tensor<8xf32>, tensor<f32>
    %a = collective.all_reduce mean %h on @tp : tensor<8xf32>
    %r = collective.all_reduce mean %a on @dp : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
