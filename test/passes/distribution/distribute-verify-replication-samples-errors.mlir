// Gradients that are made of the samples of some ranks alone.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-replication

// The part of another rank's samples.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %all = collective.all_gather %x along 0 on @world : tensor<8xf32> -> tensor<32xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 8 : index
    %first = arith.muli %rank, %length : index
    %c24 = arith.constant 24 : index
    %other = arith.subi %c24, %first : index
    // expected-error @below {{'tensor.extract_slice' takes another rank's part of what was gathered of input "x", of which the gradient of variable "w" is made; cut at the rank times the length of a rank's part}}
    %own = tensor.extract_slice %all[%other] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %g = arith.mulf %w, %own : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Two of four ranks, after the list is reshaped.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %all = collective.all_gather %g along 0 on @world : tensor<8xf32> -> tensor<32xf32>
    %rows = tensor.expand_shape %all [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
    // expected-error @below {{'tensor.extract_slice' takes input "x" of ranks 1, 3 alone, and the gradient of variable "w" is made of it: what the other ranks have is lost; use each rank's own part}}
    %a = tensor.extract_slice %rows[1, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %b = tensor.extract_slice %rows[3, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %r = arith.addf %a, %b : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// From one rank of each node to the others of it.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @tp members(#collective.blocks<2>)
  collective.group @dp members(#collective.strided<2>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    // expected-error @below {{'collective.broadcast' takes input "x" of ranks 0, 2 alone, and the gradient of variable "w" is made of it}}
    %b = collective.broadcast %x from 0 on @tp : tensor<8xf32>
    %g = arith.mulf %w, %b : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// A branch that rank 0 takes.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %rank = collective.rank on @world : index
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %rank, %c0 : index
    %none = arith.constant dense<0.0> : tensor<8xf32>
    // expected-error @below {{'scf.if' takes input "x" of rank 0 alone, and the gradient of variable "w" is made of it}}
    %s = scf.if %first -> tensor<8xf32> {
      scf.yield %g : tensor<8xf32>
    } else {
      scf.yield %none : tensor<8xf32>
    }
    %r = collective.all_reduce mean %s on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Weighed by zero on all ranks but the last.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %rank = collective.rank on @world : index
    %c3 = arith.constant 3 : index
    %last = arith.cmpi eq, %rank, %c3 : index
    %f = arith.uitofp %last : i1 to f32
    %t = tensor.splat %f : tensor<8xf32>
    // expected-error @below {{'arith.mulf' takes input "x" of rank 3 alone, and the gradient of variable "w" is made of it}}
    %s = arith.mulf %g, %t : tensor<8xf32>
    %r = collective.all_reduce mean %s on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// In a region.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %b = scf.execute_region -> tensor<8xf32> {
    // expected-error @below {{'collective.broadcast' takes input "x" of rank 0 alone, and the gradient of variable "w" is made of it}}
      %q = collective.broadcast %x from 0 on @world : tensor<8xf32>
      scf.yield %q : tensor<8xf32>
    }
    %g = arith.mulf %w, %b : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// In a function.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %b = func.call @everyone(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %g = arith.mulf %w, %b : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
  func.func private @everyone(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{'collective.broadcast' takes input "x" of rank 0 alone, and the gradient of variable "w" is made of it}}
    %b = collective.broadcast %x from 0 on @world : tensor<8xf32>
    return %b : tensor<8xf32>
  }
}
