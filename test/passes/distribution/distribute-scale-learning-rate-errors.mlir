// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-scale-learning-rate="mode=linear"

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{has no optimizer whose learning rate could be scaled}}
  func.func @step() {
    return
  }
}

// -----

#a = #train.variable<"a", trainable>
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a : tensor<4xf32>
  }
  func.func @step(%a: tensor<4xf32> {train.variable = #a},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>}) -> (tensor<4xf32> {train.variable = #a}) {
    // expected-note @below {{which is taken here}}
    %size = collective.size on @world : index
    %integer = arith.index_cast %size : index to i32
    %float = arith.sitofp %integer : i32 to f32
    %factor = tensor.from_elements %float : tensor<f32>
    %rate = arith.mulf %lr, %factor : tensor<f32>
    // expected-error @below {{its learning rate is scaled by the number of ranks already}}
    %a1 = train.sgd %a gradient %a rate %rate : tensor<4xf32>, tensor<f32>
    return %a1 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{is not a training program}}
module {
}
