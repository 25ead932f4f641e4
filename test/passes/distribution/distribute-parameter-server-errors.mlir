// Why a variable that is named cannot be served, or not as rows, one program a reason.
// RUN: dist-opt %s --distribute-parameter-server=tables=t --split-input-file --verify-diagnostics -o /dev/null

module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.output = "x"}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %x = onnx.Neg %t : (tensor<9x2xf32>) -> tensor<9x2xf32>
    // expected-warning @below {{(onnx.Neg) takes it as a whole}}
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %x : tensor<9x2xf32>, tensor<9x2xf32>
  }
}

// -----
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  // expected-error @below {{variable "t" cannot be served: no optimizer updates it}}
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %n = arith.constant dense<1.0> : tensor<9x2xf32>
    return %n : tensor<9x2xf32>
  }
}

// -----
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %c = arith.constant dense<1.0> : tensor<9x2xf32>
    %d = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %g = arith.addf %d, %c : tensor<9x2xf32>
    // expected-warning @below {{(arith.constant) makes a part of it}}
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    return %n : tensor<9x2xf32>
  }
}

// -----
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  // expected-error @below {{variable "t" cannot be served: more than its optimizer takes its gradient}}
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.output = "g"}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %g : tensor<9x2xf32>, tensor<9x2xf32>
  }
}

// -----
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  // expected-error @below {{variable "t" cannot be served: more than its optimizer takes 't'}}
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.output = "n"}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %n : tensor<9x2xf32>, tensor<9x2xf32>
  }
}

// -----
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %c = arith.constant dense<0.5> : tensor<9x2xf32>
    %t = arith.addf %c, %c : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  // expected-error @below {{variable "t" cannot be served: @initialize computes it}}
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    return %n : tensor<9x2xf32>
  }
}

// -----
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    return %t : tensor<9x2xf32>
  }
  // expected-error @below {{variable "t" cannot be served: weight decay changes every row, and servers update those with a gradient; use sgd or adagrad without weight decay, or say serve-lazy=true if that is meant}}
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r {norm_coefficient = 0.1 : f32} : tensor<9x2xf32>, tensor<f32>
    return %n : tensor<9x2xf32>
  }
}

