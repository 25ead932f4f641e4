// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-shard-optimizer="stage=2"

// expected-error @below {{distribute-shard-optimizer needs the number of ranks: run specialize-world first, or let --distribute="shard-optimizer=2" put it off until launch}}
module attributes {train.program} {
  collective.group @world
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  func.func @initialize() {
    return
  }
  // expected-error @below {{has no optimizer that could be sharded}}
  func.func @step() {
    return
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  // expected-note @below {{it varies because argument 2 of @step is this rank's part of "x" of dataset @data}}
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    // expected-error @below {{'train.momentum' cannot be sharded: its gradient is not reduced over the ranks; run distribute-reduce-gradients first}}
    %w1, %v1 = train.momentum %w gradient %x velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable, per_rank>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    // expected-error @below {{'train.momentum' cannot be sharded: variable "w" is each rank's own, as local-sgd makes it, and has no parts; choose shard-optimizer or local-sgd}}
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state, per_rank>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    // expected-error @below {{'train.momentum' cannot be sharded: variable "w.v" is each rank's own}}
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state, shard<8>>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %v : tensor<8xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %g = collective.reduce_scatter mean %x along 0 on @world : tensor<8xf32> -> tensor<4xf32>
    %rank = collective.rank on @world : index
    %four = arith.constant 4 : index
    %first = arith.muli %rank, %four : index
    %part = tensor.extract_slice %w[%first] [4] [1] : tensor<8xf32> to tensor<4xf32>
    // expected-error @below {{'train.momentum' cannot be sharded: variable "w.v" is sharded already, so shard-optimizer has been asked for twice}}
    %new, %v1 = train.momentum %part gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<4xf32> -> tensor<8xf32>
    return %w1, %v1 : tensor<8xf32>, tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    %doubled = arith.addf %v, %v : tensor<8xf32>
    // expected-error @below {{'train.momentum' cannot be sharded: a state that it takes is not a variable of @step}}
    %w1, %v1 = train.momentum %w gradient %g velocity %doubled rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    // expected-note @below {{which is this one}}
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    // expected-error @below {{'train.momentum' cannot be sharded: its state "w.v" belongs to another optimizer, too}}
    %w2, %v2 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w2, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    %always = arith.constant true
    %w1, %v1 = scf.if %always -> (tensor<8xf32>, tensor<8xf32>) {
      // expected-error @below {{'train.momentum' cannot be sharded: it stands in a region of 'scf.if'}}
      %w2, %v2 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
      scf.yield %w2, %v2 : tensor<8xf32>, tensor<8xf32>
    } else {
      scf.yield %w, %v : tensor<8xf32>, tensor<8xf32>
    }
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    // expected-error @below {{'train.momentum' cannot be sharded: its state "w.v" is taken whole by @evaluate}}
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func @evaluate(%v: tensor<8xf32> {train.variable = #v}) -> (tensor<8xf32> {train.metric = "v"}) {
    return %v : tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %w : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}, tensor<8xf32> {train.output = "gradient"}) {
    // expected-note @below {{the gradient is reduced here}}
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    // expected-error @below {{'func.return' takes the whole of a reduced gradient, of which shard-optimizer=2 leaves each rank only its part; use shard-optimizer=1}}
    return %w1, %v1, %g : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// Of a part that is filled up with what were zeros, and are ones, the norm would be another: it is taken of the whole.
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<7xf32> {train.variable = #w}, tensor<7xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<7xf32>
    return %w, %w : tensor<7xf32>, tensor<7xf32>
  }
  func.func @step(%w: tensor<7xf32> {train.variable = #w}, %v: tensor<7xf32> {train.variable = #v},
                  %x: tensor<7xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<7xf32> {train.variable = #w}, tensor<7xf32> {train.variable = #v}) {
    // expected-note @below {{the gradient is reduced here}}
    %g = collective.all_reduce mean %x on @world : tensor<7xf32>
    // expected-error @below {{'math.exp' takes the whole of a reduced gradient, of which shard-optimizer=2 leaves each rank only its part; use shard-optimizer=1}}
    %e = math.exp %g : tensor<7xf32>
    %n = train.global_norm %e : tensor<7xf32>
    %c = train.clip %e norm %n {max_norm = 1.0 : f32} : tensor<7xf32>
    %w1, %v1 = train.momentum %w gradient %c velocity %v rate %lr {alpha = 0.9 : f32} : tensor<7xf32>, tensor<f32>
    return %w1, %v1 : tensor<7xf32>, tensor<7xf32>
  }
}

// -----

// Variables that are in parts already.
#w = #train.variable<"w", trainable, shard<8>>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %g = collective.reduce_scatter mean %x along 0 on @world : tensor<8xf32> -> tensor<4xf32>
    // expected-error @below {{'train.sgd' cannot be sharded: variable "w" is sharded already, so shard-optimizer has been asked for twice}}
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}
