// Where one device divides by 0, too, equal values say little, and --verify says so.
// RUN: dist-opt %s --verify=ranks=2 -o /dev/null 2>&1 | FileCheck %s
// CHECK: verified on 2 ranks: 2 variables and metrics of 2 steps {{.*}}; 2 of all values compared are no numbers (a division by 0), which says little of them

#w = #train.variable<"w", trainable>
module @hollow attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %zero = onnx.Sub %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %none = onnx.Div %x, %zero : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %m = onnx.ReduceMean %none {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %r = collective.all_reduce mean %m on @world : tensor<f32>
    return %w, %r : tensor<4xf32>, tensor<f32>
  }
}
