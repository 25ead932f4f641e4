// Summed over one set of ranks, divided by the size of another.
// Thread: https://github.com/horovod/horovod/pull/3083
// Averages over a process set used size() where process_set.size() was meant.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world {size = 8 : i64}
  collective.group @rows members(#collective.blocks<4>)
  collective.group @columns members(#collective.strided<4>)
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 8>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %ranks = collective.size on @rows : index
    %integer = arith.index_cast %ranks : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %one = arith.constant 1.0 : f32
    %over = arith.divf %one, %float : f32
    %inverse = tensor.from_elements %over : tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'collective.all_reduce' makes the gradient of variable "w" 2 times the mean over the ranks
    %r = collective.all_reduce sum %g on @world : tensor<4xf32>
    %s = train.scale %r by %inverse : tensor<4xf32>, tensor<f32>
    %w1 = train.sgd %w gradient %s rate %lr : tensor<4xf32>, tensor<f32>
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
  collective.group @world {size = 8 : i64}
  collective.group @rows members(#collective.blocks<4>)
  collective.group @columns members(#collective.strided<4>)
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 8>}
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
    %r = collective.all_reduce sum %g on @world : tensor<4xf32>
    %s = train.scale %r by %inverse : tensor<4xf32>, tensor<f32>
    %w1 = train.sgd %w gradient %s rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
