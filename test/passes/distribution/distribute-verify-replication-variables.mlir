// Variables of which ranks keep parts: what is gathered of other parts than the rank's, and what is kept as another part, is refused.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-replication

#w = #train.variable<"w", trainable, shard<8>>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<2xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<2xf32>
    return %w : tensor<2xf32>
  }
  func.func @step(%w: tensor<2xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<2xf32> {train.variable = #w}) {
    %whole = collective.all_gather %w along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<8xf32>
    %h = arith.mulf %whole, %x : tensor<8xf32>
    %g = collective.reduce_scatter mean %h along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<2xf32>, tensor<f32>
    return %w1 : tensor<2xf32>
  }
}

// -----

// The part of the next rank is updated and kept.
#w = #train.variable<"w", trainable, shard<8>>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<2xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<2xf32>
    return %w : tensor<2xf32>
  }
  func.func @step(%w: tensor<2xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<2xf32> {train.variable = #w}) {
    %rank = collective.rank on @world : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %ranks = arith.constant 4 : index
    %next = arith.addi %rank, %one : index
    %around = arith.remui %next, %ranks : index
    %first = arith.muli %around, %two : index
    %whole = collective.all_gather %w along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<8xf32>
    // expected-error @below {{'tensor.extract_slice' does not cut the rank's part of the variable: rank 0 takes elements from 2 on of dimension 0, not from 0; cut at the rank times 2}}
    %part = tensor.extract_slice %whole[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %h = arith.mulf %whole, %x : tensor<8xf32>
    %g = collective.reduce_scatter mean %h along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %w1 = train.sgd %part gradient %g rate %lr : tensor<2xf32>, tensor<f32>
    return %w1 : tensor<2xf32>
  }
}

// -----

// Parts that were cut for all ranks are put together along another dimension.
#w = #train.variable<"w", trainable, shard<4x2>>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4x2xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %column = tensor.expand_shape %w [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    // expected-error @below {{'collective.all_gather' does not undo the cut of the gradient of variable "w": the parts were cut along another dimension or over another group}}
    %whole = collective.all_gather %column along 1 on @world {collective.regather = 0 : i64} : tensor<4x1xf32> -> tensor<4x2xf32>
    %h = arith.mulf %whole, %x : tensor<4x2xf32>
    %row = collective.flatten %h : tensor<4x2xf32> -> tensor<8xf32>
    %g = collective.reduce_scatter mean %row along 0 on @world : tensor<8xf32> -> tensor<4xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
