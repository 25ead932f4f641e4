// Divided before a reduction that divides.
// Thread: https://github.com/deepspeedai/DeepSpeed/pull/385
// ZeRO-2 divided gradients before a reduction whose other factor did not make up for it.
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
    %ranks = collective.size on @world : index
    %integer = arith.index_cast %ranks : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %one = arith.constant 1.0 : f32
    %over = arith.divf %one, %float : f32
    %inverse = tensor.from_elements %over : tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.scale' makes the gradient of variable "w" 1/N times the mean over the ranks
    %s = train.scale %g by %inverse : tensor<4xf32>, tensor<f32>
    // CHECK: note: 'collective.all_reduce' reduces it over ranks
    %r = collective.all_reduce mean %s on @world : tensor<4xf32>
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
    %ranks = collective.size on @world : index
    %integer = arith.index_cast %ranks : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %one = arith.constant 1.0 : f32
    %over = arith.divf %one, %float : f32
    %inverse = tensor.from_elements %over : tensor<f32>
    %s = train.scale %g by %inverse : tensor<4xf32>, tensor<f32>
    %r = collective.all_reduce sum %s on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
