// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-replication

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.velocity", state>
#mean = #train.variable<"running_mean", other>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #mean}) {
    // expected-error @below {{variable "w" leaves @initialize different on different ranks}}
    // expected-note @below {{it varies because the result of 'onnx.custom' comes from an operation of which nothing says that equal operands give equal bits on every rank; if they do, declare it: train.deterministic on the operation, or train.deterministic = ["onnx.custom"] on the module}}
    %random = onnx.custom "com.acme" "Random" () : () -> tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    return %random, %zero, %zero : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %mean: tensor<4xf32> {train.variable = #mean},
                  // expected-note @below {{it varies because argument 3 of @step is this rank's part of "x" of dataset @data}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #mean}) {
    // expected-error @below {{variable "w.velocity" leaves @step different on different ranks}}
    // expected-note @below {{and so does the result of 'arith.addf'}}
    %0 = arith.addf %mean, %x : tensor<4xf32>
    // expected-error @below {{variable "running_mean" leaves @step different on different ranks}}
    %1 = arith.mulf %0, %0 : tensor<4xf32>
    return %w, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    return %zero : tensor<4xf32>
  }
  // A long way is shortened in the middle; its origin is always told.
  func.func @step(%w: tensor<4xf32> {train.variable = #w},
                  // expected-note @below {{it varies because argument 1 of @step is this rank's part of "x" of dataset @data}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-note @below {{from there through 2 more operations}}
    %0 = arith.negf %x : tensor<4xf32>
    %1 = arith.negf %0 : tensor<4xf32>
    // expected-note @below {{and so does the result of 'arith.negf'}}
    %2 = arith.negf %1 : tensor<4xf32>
    // expected-note @below {{and so does the result of 'arith.negf'}}
    %3 = arith.negf %2 : tensor<4xf32>
    // expected-note @below {{and so does the result of 'arith.negf'}}
    %4 = arith.negf %3 : tensor<4xf32>
    // expected-note @below {{and so does the result of 'arith.negf'}}
    %5 = arith.negf %4 : tensor<4xf32>
    // expected-note @below {{and so does the result of 'arith.negf'}}
    %6 = arith.negf %5 : tensor<4xf32>
    // expected-error @below {{variable "w" leaves @step different on different ranks}}
    // expected-note @below {{and so does the result of 'arith.negf'}}
    %7 = arith.negf %6 : tensor<4xf32>
    return %7 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    return %zero : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w},
                  // expected-note @below {{it varies because argument 1 of @step is this rank's part of "x" of dataset @data}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  // expected-note @below {{it varies because argument 2 of @step is this rank's part of "y" of dataset @data}}
                  %y: tensor<4xf32> {train.input = #train.input<"y", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{the gradient that 'train.sgd' takes is not reduced over the ranks}}
    %w1 = train.sgd %w gradient %x rate %lr : tensor<4xf32>, tensor<f32>
    // expected-error @below {{the gradient that 'train.mark_gradient' takes is not reduced over the ranks}}
    %m = train.mark_gradient %y : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    return %zero : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %half = arith.constant dense<0.5> : tensor<f32>
    // expected-note @below {{'collective.all_reduce' has reduced it before}}
    %0 = collective.all_reduce sum %x on @world : tensor<4xf32>
    %1 = train.scale %0 by %half : tensor<4xf32>, tensor<f32>
    %2 = arith.negf %1 : tensor<4xf32>
    // expected-error @below {{'collective.all_reduce' reduces the gradient of variable "w" over the ranks twice}}
    %3 = collective.all_reduce sum %2 on @world : tensor<4xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %w1 = train.sgd %w gradient %3 rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    return %zero : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-note @below {{it varies because the result of 'collective.rank' is different on each rank by its meaning}}
    %rank = collective.rank on @world : index
    %zero = arith.constant 0 : index
    // expected-note @below {{and so does the result of 'arith.cmpi'}}
    %first = arith.cmpi eq, %rank, %zero : index
    // expected-note @below {{ranks decide 'scf.if' differently}}
    scf.if %first {
      // expected-error @below {{'collective.barrier' stands under control flow that ranks decide differently: those that reach it would wait for the others for ever}}
      collective.barrier on @world
    }
    return %w : tensor<4xf32>
  }
}

// -----

// expected-error @below {{is not a training program}}
module {
}
