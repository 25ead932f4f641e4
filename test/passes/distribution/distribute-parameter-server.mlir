// A table goes to the servers: lookups become pulls, the optimizer a push and a function of any number of rows.
// RUN: dist-opt %s --distribute-parameter-server=tables=t --split-input-file | FileCheck %s
// RUN: dist-opt %s --distribute-parameter-server="tables=t placement=hash reduction=sum" --split-input-file | FileCheck %s --check-prefix=KEYS
// KEYS: ps.table @t hash sum : tensor<9x2xf32>
// RUN: dist-opt %s --distribute-parameter-server=min-bytes=73 --split-input-file --remarks=text 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: dist-opt %s --distribute-parameter-server="tables=t wire=bf16" --split-input-file | FileCheck %s --check-prefix=WIRE
// WIRE: ps.table @t wire = bf16 : tensor<9x2xf32>
// WIRE: ps.table @t whole : tensor<2x2xf32>
// LARGE: warning: serve=auto has no effect: variable "t" stays with the workers: it has 72 bytes, and min-bytes is 73
// LARGE-NOT: ps.
// RUN: dist-opt %s --distribute-parameter-server=min-bytes=72 --split-input-file --remarks=text 2>&1 | FileCheck %s --check-prefix=SERVED
// SERVED: variable "t" is served: 9 rows, 144 bytes with the optimizer's states

// The step keeps its other variable; @evaluate pulls; nothing of the table is left in @initialize.
// CHECK: ps.table @t : tensor<9x2xf32> {initial = dense<5.000000e-01> : tensor<9x2xf32>, states = [#ps.state<"t.sum", 2.500000e-01 : f64>], update = @t.update}
// CHECK: func.func @initialize() -> (tensor<2xf32> {train.variable = #train.variable<"b", trainable>}) {
// CHECK-NEXT: %[[B:.*]] = arith.constant
// CHECK-NEXT: return %[[B]]
// CHECK: func.func @step(%[[B:.*]]: tensor<2xf32> {train.variable = {{.*}}}, %[[I:.*]]: tensor<?xi64> {{.*}}, %[[J:.*]]: tensor<?xi64> {{.*}}, %[[R:.*]]: tensor<f32> {{.*}}) -> (tensor<2xf32> {train.variable
// CHECK-NEXT: %[[A:.*]] = ps.pull_rows @t at %[[I]] : tensor<?xi64> -> tensor<?x2xf32>
// CHECK-NEXT: %[[C:.*]] = ps.pull_rows @t at %[[J]] : tensor<?xi64> -> tensor<?x2xf32>
// CHECK-NOT: train.scatter_rows
// Both lists of rows, one after the other.
// CHECK: %[[K:.*]] = tensor.concat dim(0) %[[I]], %[[J]]
// CHECK-NEXT: %[[G:.*]] = tensor.concat dim(0) %[[C]], %[[A]]
// CHECK-NEXT: %[[M:.*]], %[[N:.*]] = train.merge_rows %[[K]], %[[G]] of 9 :
// CHECK-NEXT: ps.push_rows @t at %[[M]], %[[N]] with %[[R]], %[[R]] :
// CHECK-NOT: train.adagrad
// CHECK: return
// CHECK: func.func @evaluate(%[[I:.*]]: tensor<?xi64> {{.*}}) ->
// CHECK-NEXT: ps.pull_rows @t at %[[I]]
// What scales the gradient is done once, by the servers.
// CHECK: func.func private @t.update(%[[W:.*]]: tensor<?x2xf32>, %[[H:.*]]: tensor<?x2xf32>, %[[G:.*]]: tensor<?x2xf32>, %[[S:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
// CHECK-NEXT: %[[U:.*]] = train.scale %[[G]] by %[[S]]
// CHECK-NEXT: %[[X:.*]], %[[Y:.*]] = train.adagrad %[[W]] gradient %[[U]] accumulator %[[H]] rate %[[R]]
// CHECK-NEXT: return %[[X]], %[[Y]]
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<2xf32> {train.variable = #train.variable<"b", trainable>},
      tensor<9x2xf32> {train.variable = #train.variable<"t.sum", state>}) {
    %t = arith.constant dense<0.5> : tensor<9x2xf32>
    %b = arith.constant dense<0.0> : tensor<2xf32>
    %s = arith.constant dense<0.25> : tensor<9x2xf32>
    return %t, %b, %s : tensor<9x2xf32>, tensor<2xf32>, tensor<9x2xf32>
  }
  func.func @step(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %b: tensor<2xf32> {train.variable = #train.variable<"b", trainable>},
      %s: tensor<9x2xf32> {train.variable = #train.variable<"t.sum", state>},
      %i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %j: tensor<?xi64> {train.input = #train.input<"j", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<2xf32> {train.variable = #train.variable<"b", trainable>},
          tensor<9x2xf32> {train.variable = #train.variable<"t.sum", state>}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %c = onnx.Gather %t, %j : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %da = train.scatter_rows %i, %c : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %dc = train.scatter_rows %j, %a : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
    %g = arith.addf %da, %dc : tensor<9x2xf32>
    %u = train.scale %g by %r : tensor<9x2xf32>, tensor<f32>
    %n:2 = train.adagrad %t gradient %u accumulator %s rate %r : tensor<9x2xf32>, tensor<f32>
    return %n#0, %b, %n#1 : tensor<9x2xf32>, tensor<2xf32>, tensor<9x2xf32>
  }
  func.func @evaluate(%t: tensor<9x2xf32> {train.variable = #train.variable<"t", trainable>}, %i: tensor<?xi64> {train.input = #train.input<"i", @data>})
      -> (tensor<?x2xf32> {train.metric = "rows"}) {
    %a = onnx.Gather %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    return %a : tensor<?x2xf32>
  }
}

// -----
// All of it is read: the step pulls it once, at its start. A whole variable's optimizer may look at all of it.
// CHECK: ps.table @t whole : tensor<2x2xf32> {initial = dense<5.000000e-01> : tensor<2x2xf32>, states = [#ps.state<"t.m", 0.000000e+00 : f64>], update = @t.update}
// CHECK: func.func @step(%[[X:.*]]: tensor<?x2xf32> {{.*}}, %[[R:.*]]: tensor<f32> {{.*}}) {
// CHECK-NEXT: %[[T:.*]] = ps.pull @t : tensor<2x2xf32>
// CHECK-NEXT: %[[Y:.*]] = onnx.MatMul %[[X]], %[[T]]
// CHECK-NEXT: %[[G:.*]] = onnx.Gemm %[[X]], %[[Y]]
// CHECK-NEXT: ps.push @t, %[[G]] with %[[R]] : tensor<2x2xf32>, tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func private @t.update(%{{.*}}: tensor<?x2x2xf32>, %{{.*}}: tensor<?x2x2xf32>, %{{.*}}: tensor<?x2x2xf32>, %{{.*}}: tensor<f32>)
// KEYS: ps.table @t whole sum : tensor<2x2xf32>
// RUN: dist-opt %s --distribute-parameter-server="tables=t asynchronous staleness=3 warm-up=20 lazy" --split-input-file | FileCheck %s --check-prefix=ASYNC
// ASYNC: ps.table @t whole asynchronous staleness = 3 warm_up = 20 : tensor<2x2xf32>
// An attribute that named the gradient names it no longer: the servers add it up.
// RUN: dist-opt %s --distribute-parameter-server=tables=t --split-input-file -o %t.plain.mlir
// RUN: sed 's/{transA = 1 : i64}/{transA = 1 : i64, train.gradient = "t"}/' %s > %t.named.mlir
// RUN: dist-opt %t.named.mlir --distribute-parameter-server=tables=t --split-input-file -o %t.forgotten.mlir
// RUN: diff %t.plain.mlir %t.forgotten.mlir
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() -> (tensor<2x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<2x2xf32> {train.variable = #train.variable<"t.m", state>}) {
    %t = arith.constant dense<0.5> : tensor<2x2xf32>
    %m = arith.constant dense<0.0> : tensor<2x2xf32>
    return %t, %m : tensor<2x2xf32>, tensor<2x2xf32>
  }
  func.func @step(%t: tensor<2x2xf32> {train.variable = #train.variable<"t", trainable>}, %m: tensor<2x2xf32> {train.variable = #train.variable<"t.m", state>},
      %x: tensor<?x2xf32> {train.input = #train.input<"x", @data>}, %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>})
      -> (tensor<2x2xf32> {train.variable = #train.variable<"t", trainable>}, tensor<2x2xf32> {train.variable = #train.variable<"t.m", state>}) {
    %y = onnx.MatMul %x, %t : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    %g = onnx.Gemm %x, %y {transA = 1 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
    %n:2 = train.adagrad %t gradient %g accumulator %m rate %r : tensor<2x2xf32>, tensor<f32>
    return %n#0, %n#1 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}
