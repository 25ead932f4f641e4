module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x8xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.5> : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @forward(%w: tensor<4x8xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x8xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
    %none = ub.poison : none
    %1 = onnx.custom "com.acme" "Swirl"(%0, %none, %x) {node_attributes = {names = ["a", "b"], turns = 3 : i64, weights = array<f32: 1.5, 2.5>}} : (tensor<?x8xf32>, none, tensor<?x4xf32>) -> tensor<?x8xf32>
    %2 = onnx.Slice %1 {axes = array<i64: 1>, ends = array<i64: 9223372036854775807>, starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %3 = onnx.Pad %2 {pads = array<i64: 0, 1, 0, 1>, value = 2.5 : f64} : (tensor<?x8xf32>) -> tensor<?x10xf32>
    %4 = onnx.ReduceMean %3 {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?x1xf32>
    %5 = onnx.Add %1, %4 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
    %6 = onnx.CumSum %5 {axis = 1 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %7 = onnx.Gelu %6 : (tensor<?x8xf32>) -> tensor<?x8xf32>
    return %7 : tensor<?x8xf32>
  }
}
