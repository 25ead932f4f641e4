// Gradients that attributes name where nobody reduces them.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --distribute-reduce-gradients

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func private @descend(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'arith.mulf' has a gradient by the attribute train.gradient, but stands in @descend, which @step calls: gradients are reduced in @step; inline the call}}
    %g = arith.mulf %w, %x {train.gradient = "w"} : tensor<4xf32>
    %w1 = arith.subf %w, %g : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    %w1 = call @descend(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
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
  func.func private @train(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'func.call' has a gradient by the attribute train.gradient, but stands in @train, which @step calls}}
    %w1 = call @descend(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    %w1 = call @train(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{no dataset is sharded, so that all ranks compute equal gradients and there is nothing to reduce: run distribute-shard-datasets first}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x {train.gradient = "w"} : tensor<4xf32>
    %w1 = arith.subf %w, %g : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}
