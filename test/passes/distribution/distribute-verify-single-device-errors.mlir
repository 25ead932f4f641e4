// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-single-device

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{the program is distributed already: @data is sharded; distribute the program as it was before}}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #w}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    return %zero : tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #w}) -> (tensor<f32> {train.variable = #w}) {
    %loss = arith.mulf %w, %w : tensor<f32>
    // expected-error @below {{a gradient must be expanded before the program is distributed: run train-expand-gradients first}}
    %g = train.gradient %loss wrt %w : tensor<f32> wrt tensor<f32>
    return %g : tensor<f32>
  }
}

// -----

// expected-error @below {{is not a training program}}
module {
}
