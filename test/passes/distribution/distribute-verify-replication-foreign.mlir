// Operations of a dialect that nobody here knows: the error says how to declare them, and what is declared is believed.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --distribute-verify-replication

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{variable "w" leaves @step different on different ranks}}
    // expected-note @below {{it varies because the result of 'acme.decay' comes from an operation of which nothing says that equal operands give equal bits on every rank; if they do, declare it: train.deterministic on the operation, or train.deterministic = ["acme.decay"] on the module}}
    %new = "acme.decay"(%w) : (tensor<4xf32>) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = "acme.fill"() : () -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    %0 = "acme.decay"(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %new = "lab.swirl"(%0) {train.deterministic} : (tensor<4xf32>) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // A declaration does not make equal what was different.
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-note @below {{it varies because the result of 'collective.rank' is different on each rank by its meaning}}
    %rank = collective.rank on @world : index
    // expected-error @below {{variable "w" leaves @step different on different ranks}}
    // expected-note @below {{and so does the result of 'acme.decay'}}
    %new = "acme.decay"(%w, %rank) : (tensor<4xf32>, index) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
