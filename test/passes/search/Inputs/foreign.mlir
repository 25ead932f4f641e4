// A program of one device with an operation of which nothing says that all ranks compute the same by it.
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"input", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 0.1 : f64>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %gradient = onnx.ReduceMean %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %next = train.sgd %w gradient %gradient rate %lr : tensor<4xf32>, tensor<f32>
    %new = "acme.decay"(%next) : (tensor<4xf32>) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
