// Rows that are asked for and are not there, and rows that are reduced twice.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-sparse-gradients="mode=rows" --distribute-verify-replication

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a : tensor<4xf32>
  }
  // expected-error @below {{sparse=rows: no gradient that is reduced is a list of rows; only those of lookups (Gather) are}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %r = collective.all_reduce mean %x on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<9xf32> {train.variable = #w}) {
    %a = arith.constant dense<1.0> : tensor<9xf32>
    return %a : tensor<9xf32>
  }
  func.func @step(%w: tensor<9xf32> {train.variable = #w}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
                  %x: tensor<?xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<9xf32> {train.variable = #w}) {
    %g = train.scatter_rows %i, %x : tensor<?xi64>, tensor<?xf32> -> tensor<9xf32>
    // expected-note @below {{'train.merge_rows' has reduced it before}}
    %r = collective.all_reduce mean %g on @world : tensor<9xf32>
    // expected-error @below {{'collective.all_reduce' reduces the gradient of variable "w" over the ranks twice}}
    %r2 = collective.all_reduce sum %r on @world : tensor<9xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %w1 = train.sgd %w gradient %r2 rate %lr : tensor<9xf32>, tensor<f32>
    return %w1 : tensor<9xf32>
  }
}
