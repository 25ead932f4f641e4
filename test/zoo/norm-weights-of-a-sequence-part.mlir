// The weights of a normalization see a part of the sequence each.
// Thread: https://github.com/NVIDIA/TransformerEngine/issues/435
// Ranks of the tensor axis normalize their part of the sequence: their gradients are summands, and the data axis alone reduced them.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 8 : i64}
  collective.group @tp members(#collective.blocks<4>)
  collective.group @dp members(#collective.strided<4>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one, %one : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %h = arith.mulf %v, %x : tensor<8xf32>
    %a = collective.all_reduce mean %g on @tp : tensor<8xf32>
    %r = collective.all_reduce mean %a on @dp : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' reduces the gradient of variable "v" over a part of the ranks, @dp, and nothing reduces it over the others
    %s = collective.all_reduce mean %h on @dp : tensor<8xf32>
    %v1 = train.sgd %v gradient %s rate %lr : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world {size = 8 : i64}
  collective.group @tp members(#collective.blocks<4>)
  collective.group @dp members(#collective.strided<4>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one, %one : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %h = arith.mulf %v, %x : tensor<8xf32>
    %a:2 = collective.all_reduce mean %g, %h on @tp : tensor<8xf32>, tensor<8xf32>
    %r:2 = collective.all_reduce mean %a#0, %a#1 on @dp : tensor<8xf32>, tensor<8xf32>
    %w1 = train.sgd %w gradient %r#0 rate %lr : tensor<8xf32>, tensor<f32>
    %v1 = train.sgd %v gradient %r#1 rate %lr : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}
