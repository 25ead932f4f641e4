// Rows of f64 do not travel in 16 bits.
// RUN: dist-opt %s --distribute-parameter-server="tables=t wire=f16" --verify-diagnostics -o /dev/null

module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf64> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf64>
    return %t : tensor<9x2xf64>
  }
  func.func @step(%t: tensor<9x2xf64> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f64> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf64> {train.variable = #train.variable<"t", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf64>, tensor<?xi64>) -> tensor<?x2xf64>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf64> -> tensor<9x2xf64>
    // expected-error @below {{variable "t" has rows of 'f64', and only those of f32 can travel as 'f16' (serve-wire)}}
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf64>, tensor<f64>
    return %n : tensor<9x2xf64>
  }
}
