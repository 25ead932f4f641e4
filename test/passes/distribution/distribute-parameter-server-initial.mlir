// How tables begin is said beside the program: the first rule that names a table counts, and the program's values go.
// RUN: dist-opt %s --distribute-parameter-server="tables=t,u initial=t:normal:0.5:0.25,uniform:-0.125:0.125" | FileCheck %s
// RUN: dist-opt %s --distribute-parameter-server="tables=t,u initial=u:uniform:1:1" | FileCheck %s --check-prefix=ONE
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u" 2>&1 | FileCheck %s --check-prefix=COMPUTED
// RUN: dist-opt %s --distribute-parameter-server="min-bytes=1" --remarks=text 2>&1 | FileCheck %s --check-prefix=AUTO

// CHECK: ps.table @t : tensor<9x2xf32> {initial = #ps.random<normal, 5.000000e-01 : f64, 2.500000e-01 : f64>,
// CHECK: ps.table @u : tensor<9x2xf32> {initial = #ps.random<uniform, -1.250000e-01 : f64, 1.250000e-01 : f64>,
// CHECK: func.func @initialize() {
// CHECK-NEXT: return
// ONE: ps.table @t : tensor<9x2xf32> {initial = dense<5.000000e-01> : tensor<9x2xf32>,
// ONE: ps.table @u : tensor<9x2xf32> {initial = #ps.random<uniform, 1.000000e+00 : f64, 1.000000e+00 : f64>,

// What @initialize computes is not known to servers, unless a rule stands for it.
// COMPUTED: error: variable "u" cannot be served: @initialize computes it; serve-initial says how its rows begin instead
// AUTO: variable "u" stays with the workers: @initialize computes it

// Rules of another form, and rules for nothing.
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=normal:0" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=gamma:0:1" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=uniform:1:0" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=t:normal:0:-1" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=normal:0:inf" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=normal:a:b" 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: serve-initial: '{{.*}}' is not normal:MEAN:DEVIATION or uniform:FROM:TO, with GLOB: before it for tables of these names alone, with FROM not above TO and DEVIATION not negative
// RUN: not dist-opt %s --distribute-parameter-server="tables=t,u initial=tt:normal:0:1,normal:0:1" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: serve-initial: there is no served variable 'tt'; did you mean t?

// RUN: not dist-opt %s --distribute="serve-initial=normal:0:1" 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: serve-initial={{.*}} has no meaning without serve=auto or serve=GLOB,...

module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    %u = onnx.Exp %t : (tensor<9x2xf32>) -> tensor<9x2xf32>
    return %t, %u : tensor<9x2xf32>, tensor<9x2xf32>
  }
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %u: tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>},
      %i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<9x2xf32> {train.variable = #train.variable<"u", trainable>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %b = onnx.Gather %u, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %g = train.scatter_rows %i, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %h = train.scatter_rows %i, %b : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %n = train.sgd %t gradient %g rate %r : tensor<9x2xf32>, tensor<f32>
    %m = train.sgd %u gradient %h rate %r : tensor<9x2xf32>, tensor<f32>
    return %n, %m : tensor<9x2xf32>, tensor<9x2xf32>
  }
}
