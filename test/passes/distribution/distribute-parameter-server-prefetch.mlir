// Tables whose rows a step needs are known from its batch alone are asked for ahead; of the others a remark says why not.
// RUN: dist-opt %s --distribute-parameter-server="tables=t,u prefetch" --remarks=text 2>&1 | FileCheck %s
// CHECK: variable "u" is not asked for ahead: the index of {{.*}} (onnx.Gather){{.*}} depends on variable "c"
// CHECK: ps.table @t prefetch : tensor<9x2xf32>
// CHECK: ps.table @u : tensor<9x2xf32>
// RUN: dist-opt %s --distribute-parameter-server="tables=t,u" | FileCheck %s --check-prefix=NONE
// NONE-NOT: prefetch
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>},
      tensor<i64> {train.variable = #train.variable<"c", other>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    %c = arith.constant dense<1> : tensor<i64>
    return %t, %t, %c : tensor<9x2xf32>, tensor<9x2xf32>, tensor<i64>
  }
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %u: tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>},
      %c: tensor<i64> {train.variable = #train.variable<"c", other>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>},
          tensor<i64> {train.variable = #train.variable<"c", other>}) {
    %one = arith.constant dense<1> : tensor<i64>
    %j = onnx.Mod %i, %one : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    %a = onnx.Gather %t, %j : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %k = onnx.Mul %i, %c : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    %b = onnx.Gather %u, %k : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %da = train.scatter_rows %j, %b : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %db = train.scatter_rows %k, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %da rate %r : tensor<9x2xf32>, tensor<f32>
    %m = train.sgd %u gradient %db rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %m, %c : tensor<9x2xf32>, tensor<9x2xf32>, tensor<i64>
  }
}
