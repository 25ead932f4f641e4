// A program with a large constant that is written out: DENSE is to be replaced by the bytes of 20000 numbers.
module attributes {train.program} {
  func.func @initialize() -> (tensor<20000xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<"0xDENSE"> : tensor<20000xf32>
    return %w : tensor<20000xf32>
  }
  func.func @step(%w: tensor<20000xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<20000xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "sum"}) {
    %n = onnx.Add %w, %w : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
    %s = onnx.ReduceSum %n {keepdims = 0 : i64} : (tensor<20000xf32>) -> tensor<f32>
    return %n, %s : tensor<20000xf32>, tensor<f32>
  }
}
