// Workers that have no common steps cannot reduce the gradient of a variable that stays with them.
// RUN: dist-opt %s --distribute-parameter-server="tables=t asynchronous" --verify-diagnostics -o /dev/null
// RUN: dist-opt %s --distribute-parameter-server="tables=t,u asynchronous staleness=2" | FileCheck %s
// CHECK: ps.table @t asynchronous staleness = 2 : tensor<9x2xf32>
// CHECK: ps.table @u asynchronous staleness = 2 : tensor<9x2xf32>

module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t, %t : tensor<9x2xf32>, tensor<9x2xf32>
  }
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %u: tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>},
      %i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %b = onnx.Gather %u, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %h = train.scatter_rows %i, %b : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    // expected-error @below {{variable "u" stays with the workers, which would have to reduce its gradient in common steps; asynchronous training wants all variables with the servers, say serve=*}}
    %m = train.sgd %u gradient %h rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %m : tensor<9x2xf32>, tensor<9x2xf32>
  }
}
