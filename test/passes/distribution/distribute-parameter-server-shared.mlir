// Tables that are looked up alike have one gradient. Each pushes it, whether both are served or one.
// RUN: dist-opt %s --distribute-parameter-server=tables=t,u | FileCheck %s
// RUN: dist-opt %s --distribute-parameter-server=tables=t | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: func.func @step
// CHECK-DAG: ps.pull_rows @t
// CHECK-DAG: ps.pull_rows @u
// CHECK-NOT: train.scatter_rows
// CHECK-DAG: ps.push_rows @t
// CHECK-DAG: ps.push_rows @u
// CHECK: return

// The other keeps its gradient and its optimizer.
// ONE-LABEL: func.func @step
// ONE: ps.pull_rows @t
// ONE-DAG: %[[G:.*]] = train.scatter_rows
// ONE-DAG: train.sgd %{{.*}} gradient %[[G]]
// ONE-DAG: ps.push_rows @t
// ONE: return
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
    %s = onnx.Add %a, %b : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %s : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    %m = train.sgd %u gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %m : tensor<9x2xf32>, tensor<9x2xf32>
  }
}
