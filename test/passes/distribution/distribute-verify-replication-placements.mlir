// Only replicated variables must be equal on every rank: not parts, and not what is each rank's own.
// RUN: dist-opt %s --split-input-file --distribute-verify-replication --verify-diagnostics | FileCheck %s
// RUN: dist-opt %s --split-input-file --distribute-broadcast-variables --remarks-filter=distribute-broadcast-variables --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=BROADCAST

// A part of the gradient updates a part of the variable, which is gathered.
// BROADCAST: variable "w.velocity" is not replicated: each rank starts from what is its own
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.velocity", state, shard<4>>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  // BROADCAST-LABEL: @initialize
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<2xf32>
    // BROADCAST: %[[W:.*]] = collective.broadcast %{{[a-z0-9_]*}} from
    // BROADCAST: return %[[W]], %cst
    return %w, %v : tensor<4xf32>, tensor<2xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<2xf32> {train.variable = #v},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %half = arith.constant dense<0.5> : tensor<f32>
    %first = arith.muli %rank, %two : index
    %g = collective.reduce_scatter mean %x along 0 on @world : tensor<4xf32> -> tensor<2xf32>
    %scaled = train.scale %g by %half : tensor<2xf32>, tensor<f32>
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %new, %v1 = train.momentum %part gradient %scaled velocity %v rate %lr {alpha = 9.0e-1 : f32} : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1, %v1 : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

// The part may be cut out of what all ranks have.
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %new = train.sgd %part gradient %part rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// A variable of each rank's own takes this rank's gradient; what all share must not depend on it.
#w = #train.variable<"w", trainable, per_rank>
#m = #train.variable<"mean", other>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
  // expected-note @below {{it varies because argument 0 of @step is this rank's own variable "w"}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %m: tensor<4xf32> {train.variable = #m},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %w1 = train.sgd %w gradient %x rate %lr : tensor<4xf32>, tensor<f32>
    // expected-note @below {{and so does the result of 'arith.addf'}}
    // expected-error @below {{variable "mean" leaves @step different on different ranks}}
    %m1 = arith.addf %m, %w : tensor<4xf32>
    return %w1, %m1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A rank clips the gradient of its own variable, and skips its own step, as it finds right.
#w = #train.variable<"w", trainable, per_rank>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "skipped"}) {
    %one = arith.constant dense<1.0> : tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %f = train.all_finite %x : tensor<4xf32>
    %n = train.global_norm %x : tensor<4xf32>
    %c = train.clip %x norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    %w1 = train.sgd %w gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    %w2 = train.select %f, %w1, %w : tensor<4xf32>
    %skipped = train.select %f, %zero, %one : tensor<f32>
    return %w2, %skipped : tensor<4xf32>, tensor<f32>
  }
}

// -----

// The part may be on its way while the step goes on.
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %f = collective.async {
      %g = collective.reduce_scatter mean %x along 0 on @world : tensor<4xf32> -> tensor<2xf32>
      collective.yield %g : tensor<2xf32>
    } : !collective.future<tensor<2xf32>>
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %own = collective.await %f : !collective.future<tensor<2xf32>>
    %new = train.sgd %part gradient %own rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}
