// Statistics of a batch are as uniform as what they are taken from: the rank's samples, or means over all ranks.
// RUN: dist-opt %s --distribute-verify-replication --verify-diagnostics

module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"synchronised", other>},
                              tensor<4xf32> {train.variable = #train.variable<"local", other>}) {
    %0 = arith.constant dense<0.0> : tensor<4xf32>
    return %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%a: tensor<4xf32> {train.variable = #train.variable<"synchronised", other>},
                  %b: tensor<4xf32> {train.variable = #train.variable<"local", other>},
                  // expected-note @below {{it varies because argument 2 of @step}}
                  %x: tensor<?x4x2xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #train.variable<"synchronised", other>},
          tensor<4xf32> {train.variable = #train.variable<"local", other>}) {
    %local = onnx.BatchMean %x : (tensor<?x4x2xf32>) -> tensor<4xf32>
    %mean = collective.all_reduce mean %local on @world : tensor<4xf32>
    %y:5 = onnx.BatchNormInternal %x, %a, %a, %a, %a mean %mean variance %mean : (tensor<?x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    // expected-error @below {{variable "local" leaves @step different on different ranks}}
    // expected-note @below {{and so does the result of 'onnx.BatchNormInternal'}}
    %z:5 = onnx.BatchNormInternal %x, %b, %b, %b, %b : (tensor<?x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    return %y#1, %z#1 : tensor<4xf32>, tensor<4xf32>
  }
}
