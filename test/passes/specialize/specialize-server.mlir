// The program of a table's servers: rows, states and gradients are samples, scalars are variables that the host sets.
// RUN: dist-opt %s --specialize-server="table=t rows=8" | FileCheck %s
// RUN: dist-opt %s --specialize-server="table=t rows=8" --compile | FileCheck %s --check-prefix=COMPILED
// RUN: not dist-opt %s --specialize-server=table=u 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: specialize-server: there is no table 'u'

// CHECK: module attributes {train.program} {
// CHECK-NEXT: train.dataset @rows {global_batch = 8 : i64}
// CHECK-NEXT: func.func @initialize() -> (tensor<f32> {train.variable = #train.variable<"scalar.0", other>}) {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[ZERO]]
// CHECK: func.func @step(%[[R:.*]]: tensor<f32> {train.variable = #train.variable<"scalar.0", other>},
// CHECK-SAME: %[[W:.*]]: tensor<?x2xf32> {train.input = #train.input<"t", @rows>},
// CHECK-SAME: %[[H:.*]]: tensor<?x2xf32> {train.input = #train.input<"t.sum", @rows>},
// CHECK-SAME: %[[G:.*]]: tensor<?x2xf32> {train.input = #train.input<"gradient", @rows>})
// CHECK-SAME: -> (tensor<f32> {train.variable = #train.variable<"scalar.0", other>}, tensor<?x2xf32> {train.output = "t"}, tensor<?x2xf32> {train.output = "t.sum"}) {
// CHECK-NEXT: %[[X:.*]], %[[Y:.*]] = train.adagrad %[[W]] gradient %[[G]] accumulator %[[H]] rate %[[R]]
// CHECK-NEXT: return %[[R]], %[[X]], %[[Y]]
// CHECK-NOT: ps.
// CHECK-NOT: func
// COMPILED: llvm.func @tutti_step
module attributes {train.program} {
  // The servers' dataset has this name, too.
  train.dataset @rows {global_batch = 4 : i64}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, states = [#ps.state<"t.sum", 0.0 : f64>], update = @t.update}
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @rows>}) { return }
  func.func private @t.update(%w: tensor<?x2xf32>, %h: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
    %n:2 = train.adagrad %w gradient %g accumulator %h rate %r : tensor<?x2xf32>, tensor<f32>
    return %n#0, %n#1 : tensor<?x2xf32>, tensor<?x2xf32>
  }
}
