// What was reduced with one micro-batch is reduced again with the next.
// Thread: https://github.com/NVIDIA/Megatron-LM/pull/6773
// The gradient buffer was reduced in place for each micro-batch, which rescaled what it held already.
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
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %sum = scf.for %i = %zero to %four step %one iter_args(%acc = %none) -> (tensor<4xf32>) {
      %q = train.scale %g by %quarter : tensor<4xf32>, tensor<f32>
      // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'arith.addf' adds up parts of the gradient of variable "w" of which one is multiplied by a number of ranks that the other lacks
      %add = arith.addf %acc, %q : tensor<4xf32>
      %next = collective.all_reduce sum %add on @world : tensor<4xf32>
      scf.yield %next : tensor<4xf32>
    }
    %w1 = train.sgd %w gradient %sum rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
