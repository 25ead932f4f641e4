// A program with the size of a dimension as a number.
module attributes {train.program} {
  collective.group @world
  train.dataset @data
  func.func @initialize() {
    return
  }
  func.func @forward(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "n"}) {
    %zero = arith.constant 0 : index
    %size = tensor.dim %x, %zero : tensor<?x4xf32>
    %number = arith.index_cast %size : index to i64
    %tensor = tensor.from_elements %number : tensor<i64>
    %n = onnx.Cast %tensor {to = f32} : (tensor<i64>) -> tensor<f32>
    return %n : tensor<f32>
  }
}
