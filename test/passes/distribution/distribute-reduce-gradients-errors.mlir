// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-reduce-gradients

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{has no gradient to reduce: it holds no optimizer operation; mark gradients with train.mark_gradient}}
  func.func @step() {
    return
  }
}

// -----

#a = #train.variable<"a", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a : tensor<4xf32>
  }
  // expected-error @below {{no dataset is sharded, so that all ranks compute equal gradients and there is nothing to reduce: run distribute-shard-datasets first}}
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #a}) {
    %a1 = train.sgd %a gradient %x rate %lr : tensor<4xf32>, tensor<f32>
    return %a1 : tensor<4xf32>
  }
}

// -----

#a = #train.variable<"a", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @images {shard = #train.shard<strided, error, @world>}
  // expected-error @below {{batch-policy=weighted needs a step fed by one dataset, but @step is fed by 2: it is not known by which parts its values are to be weighted}}
  train.dataset @more {shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a : tensor<4xf32>
  }
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %x: tensor<4xf32> {train.input = #train.input<"x", @images>},
                  %y: tensor<4xf32> {train.input = #train.input<"y", @more>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #a}) {
    %g = arith.addf %x, %y : tensor<4xf32>
    %a1 = train.sgd %a gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %a1 : tensor<4xf32>
  }
}
