// Gathered rows of a table that nobody divides.
// Thread: https://github.com/horovod/horovod/pull/2279
// Averages of sparse gradients gather rows and divide; on one path the division was skipped.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8x4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<8x4xf32>
    return %w : tensor<8x4xf32>
  }
  func.func @step(%w: tensor<8x4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8x4xf32> {train.variable = #w}) {
    %c0 = arith.constant 0 : index
    %samples = tensor.dim %x, %c0 : tensor<?x4xf32>
    %samples_i = arith.index_cast %samples : index to i64
    %samples_f = arith.sitofp %samples_i : i64 to f32
    %count = tensor.from_elements %samples_f : tensor<f32>
    %mean = onnx.Div %x, %count : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
    %all = collective.all_gather %mean along 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
    %indices = collective.all_gather %i along 0 on @world : tensor<?xi64> -> tensor<?xi64>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.scatter_rows' makes the gradient of variable "w" N times the mean over the ranks
    %r = train.scatter_rows %indices, %all : tensor<?xi64>, tensor<?x4xf32> -> tensor<8x4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8x4xf32>, tensor<f32>
    return %w1 : tensor<8x4xf32>
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
  func.func @initialize() -> (tensor<8x4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<8x4xf32>
    return %w : tensor<8x4xf32>
  }
  func.func @step(%w: tensor<8x4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8x4xf32> {train.variable = #w}) {
    %c0 = arith.constant 0 : index
    %samples = tensor.dim %x, %c0 : tensor<?x4xf32>
    %samples_i = arith.index_cast %samples : index to i64
    %samples_f = arith.sitofp %samples_i : i64 to f32
    %count = tensor.from_elements %samples_f : tensor<f32>
    %mean = onnx.Div %x, %count : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
    %all = collective.all_gather %mean along 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
    %indices = collective.all_gather %i along 0 on @world : tensor<?xi64> -> tensor<?xi64>
    %ranks = collective.size on @world : index
    %integer = arith.index_cast %ranks : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %n = tensor.from_elements %float : tensor<f32>
    %j, %m = train.merge_rows %indices, %all of 8 over %n : tensor<?xi64>, tensor<?x4xf32>, tensor<f32> -> tensor<?xi64>, tensor<?x4xf32>
    %r = train.scatter_rows %j, %m : tensor<?xi64>, tensor<?x4xf32> -> tensor<8x4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8x4xf32>, tensor<f32>
    return %w1 : tensor<8x4xf32>
  }
}
