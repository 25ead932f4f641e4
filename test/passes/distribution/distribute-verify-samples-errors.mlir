// What cannot be completed is refused, with the operation, the cause and what to do.
// RUN: dist-opt %s --distribute-verify-samples="gather-samples=false" --split-input-file --verify-diagnostics

module attributes {train.program} {
  train.dataset @data
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    // expected-error @+1 {{'onnx.Softmax' couples samples that lie on different ranks; --distribute="gather-samples=true" gives every rank those of all}}
    %p = onnx.Softmax %x {axis = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %loss = onnx.ReduceMean %p {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
