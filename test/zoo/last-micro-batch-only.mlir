// Only the last of several micro-batches is reduced.
// Thread: https://github.com/karpathy/build-nanogpt/pull/30
// DDP was told to synchronise in the backward pass but not in the forward pass of the last micro-batch: sums of the
// earlier ones stayed each rank's own.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %last = arith.mulf %g, %x : tensor<4xf32>
    %r = collective.all_reduce mean %last on @world : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'arith.addf' adds a part of the gradient of variable "w" that is reduced over the ranks to one that is not
    %h = arith.addf %r, %g : tensor<4xf32>
    %w1 = train.sgd %w gradient %h rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
