// Micro-batches are added up and not averaged.
// Thread: https://github.com/deepspeedai/DeepSpeed/issues/7773
// With pipeline parallelism gradients of micro-batches were summed: as many times too large as there are micro-
// batches.
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
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'scf.for' adds up 4 turns of the gradient of variable "w" and nothing divides the sum
    %sum = scf.for %i = %zero to %four step %one iter_args(%acc = %none) -> (tensor<4xf32>) {
      %y = train.micro_batch %i of 4 in %x : tensor<4xf32> -> tensor<1xf32>
      %e = tensor.extract %y[%zero] : tensor<1xf32>
      %t = tensor.splat %e : tensor<4xf32>
      %h = arith.mulf %w, %t : tensor<4xf32>
      %next = arith.addf %acc, %h : tensor<4xf32>
      scf.yield %next : tensor<4xf32>
    }
    %r = collective.all_reduce mean %sum on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
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
      %y = train.micro_batch %i of 4 in %x : tensor<4xf32> -> tensor<1xf32>
      %e = tensor.extract %y[%zero] : tensor<1xf32>
      %t = tensor.splat %e : tensor<4xf32>
      %h = arith.mulf %w, %t : tensor<4xf32>
      %q = train.scale %h by %quarter : tensor<4xf32>, tensor<f32>
      %next = arith.addf %acc, %q : tensor<4xf32>
      scf.yield %next : tensor<4xf32>
    }
    %r = collective.all_reduce mean %sum on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
