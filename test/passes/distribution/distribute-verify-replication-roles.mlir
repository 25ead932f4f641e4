// What attributes say of values is part of the proof: gradients that they name are reduced, once, and random numbers of each
// rank's own reach no variable.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --distribute-verify-replication

#w = #train.variable<"w", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w},
                  // expected-note @below {{it varies because argument 1 of @step is this rank's part of "x" of dataset @data}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{the gradient of variable "w" that train.gradient names here is not reduced over the ranks: run distribute-reduce-gradients}}
    // expected-note @below {{and so does the result of 'acme.backward'}}
    %g = "acme.backward"(%w, %x) {train.gradient = "w"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = arith.subf %w, %g : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func private @descend(tensor<4xf32>, tensor<4xf32> {train.gradient}) -> tensor<4xf32>
  func.func @step(%w: tensor<4xf32> {train.variable = #w},
                  // expected-error @below {{the gradient that train.gradient names here is not reduced over the ranks}}
                  // expected-note @below {{it varies because argument 1 of @step is this rank's part of "x" of dataset @data}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    %w1 = call @descend(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // The scale of what only a role calls a gradient is proved, too.
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.gradient = "w"}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    // expected-error @below {{'collective.all_reduce' makes the gradient of variable "w" N times the mean over the ranks: a sum over ranks is not divided by their number; use mean}}
    %r = collective.all_reduce sum %g on @world : tensor<4xf32>
    return %w, %r : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.gradient = "w"}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    // expected-note @below {{'collective.all_reduce' has reduced it before}}
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    // expected-error @below {{'collective.all_reduce' reduces the gradient of variable "w" over the ranks twice}}
    %s = collective.all_reduce mean %r on @world : tensor<4xf32>
    // expected-note @below {{'train.mark_gradient' takes it here}}
    %m = train.mark_gradient %s {train.gradient = "w"} : tensor<4xf32>
    return %w, %m : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{variable "w" leaves @initialize different on different ranks}}
    // expected-note @below {{it varies because the result of 'acme.normal' is a random source: each rank draws numbers of its own}}
    %w = "acme.normal"() {train.random = #train.random<per_rank>} : () -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    // From one seed on all ranks.
    %w = "acme.normal"() {train.random = #train.random<replicate>} : () -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %seed: i64 {train.random = #train.random<replicate>},
                  // expected-note @below {{it varies because argument 2 of @step is a random source: each rank draws numbers of its own}}
                  %key: i64 {train.random = #train.random<per_rank>}) -> (tensor<4xf32> {train.variable = #w}) {
    %even = "acme.normal"(%seed) {train.random = #train.random<replicate>} : (i64) -> tensor<4xf32>
    // expected-note @below {{and so does the result of 'acme.normal'}}
    %noise = "acme.normal"(%key) : (i64) -> tensor<4xf32>
    %sum = arith.addf %w, %even : tensor<4xf32>
    // expected-error @below {{variable "w" leaves @step different on different ranks}}
    // expected-note @below {{and so does the result of 'arith.addf'}}
    %w1 = arith.addf %sum, %noise : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}
