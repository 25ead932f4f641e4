// Why ranks cannot train on their own.
// RUN: dist-opt %s --distribute-local-sgd="every=4" --split-input-file --verify-diagnostics

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
// expected-error @below {{distribute-local-sgd needs the number of ranks: run specialize-world first, or let --distribute="local-sgd=4" put it off until launch}}
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{holds no optimizer operation, so that no rank could train on its own}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    // expected-error @below {{all gradients are equal on every rank, so that there is nothing to average: run distribute-local-sgd instead of distribute-reduce-gradients, and after distribute-shard-datasets}}
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", state, shard<16>>}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", state, shard<16>>}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #train.variable<"w", state, shard<16>>}) {
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    // expected-error @below {{local-sgd conflicts with shard-optimizer: each rank updates all of its own variables, but holds only a part of "w"}}
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
