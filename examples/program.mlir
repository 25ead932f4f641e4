// A training program for the installed tools: one variable, one gradient.
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<4xf32> {train.input = #train.input<"input", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 0.1 : f64>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %new = train.sgd %w gradient %x rate %lr : tensor<4xf32>, tensor<f32>
    return %new : tensor<4xf32>
  }
}
