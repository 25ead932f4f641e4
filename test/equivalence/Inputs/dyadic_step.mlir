// A step whose numbers need few bits: no sum of it rounds, in whichever order it is taken.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 5.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<1x8x8xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<1x8x8xf32>
    return %w : tensor<1x8x8xf32>
  }
  func.func @step(%w: tensor<1x8x8xf32> {train.variable = #w}, %x: tensor<?x1x8x8xf32> {train.input = #train.input<"input", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<1x8x8xf32> {train.variable = #w}) {
    %g = onnx.ReduceMean %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x1x8x8xf32>) -> tensor<1x8x8xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<1x8x8xf32>, tensor<f32>
    return %w1 : tensor<1x8x8xf32>
  }
}
