// Roles of values stand on functions and operations of any dialect, and stay there.
// RUN: dist-opt %s --allow-unregistered-dialect | dist-opt --allow-unregistered-dialect | FileCheck %s
// RUN: dist-opt %s --allow-unregistered-dialect --emit-bytecode -o %t.mlirbc && dist-opt %t.mlirbc --allow-unregistered-dialect | FileCheck %s
// RUN: dist-opt %s --allow-unregistered-dialect --canonicalize --cse | FileCheck %s --check-prefix=KEPT

// What stands on operations goes along when a call is inlined; what stands on the function that is called is gone with it.
// RUN: dist-opt %s --allow-unregistered-dialect --inline | FileCheck %s --check-prefix=INLINED

module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<2x3xf32> {train.variable = #train.variable<"b", trainable>}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    %b = arith.constant dense<0.0> : tensor<2x3xf32>
    return %w, %b : tensor<4xf32>, tensor<2x3xf32>
  }
  // CHECK: func.func private @update(tensor<4xf32>, tensor<4xf32> {train.gradient}) -> tensor<4xf32>
  func.func private @update(tensor<4xf32>, tensor<4xf32> {train.gradient}) -> tensor<4xf32>
  // INLINED-NOT: call @backward
  func.func private @backward(%x: tensor<4x?xf32>) -> (tensor<4xf32> {train.gradient = "w"}) {
    %g = "acme.sum"(%x) {train.gradient = "w"} : (tensor<4x?xf32>) -> tensor<4xf32>
    return %g : tensor<4xf32>
  }
  // Samples that lie along dimension 0 are not mentioned.
  // CHECK: func.func @step
  // CHECK-SAME: tensor<4x?xf32> {train.input = #train.input<"x", @data, axis = 1>}
  // CHECK-SAME: tensor<?xf32> {train.input = #train.input<"y", @data>}
  // CHECK-SAME: i64 {train.random = #train.random<replicate>}
  // CHECK-SAME: tensor<4xf32> {train.random = #train.random<per_rank>}
  // CHECK-SAME: tensor<2x3xf32> {train.gradient = "b"}
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %b: tensor<2x3xf32> {train.variable = #train.variable<"b", trainable>},
                  %x: tensor<4x?xf32> {train.input = #train.input<"x", @data, axis = 1>}, %y: tensor<?xf32> {train.input = #train.input<"y", @data, axis = 0>},
                  %seed: i64 {train.random = #train.random<replicate>}, %noise: tensor<4xf32> {train.random = #train.random<per_rank>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<2x3xf32> {train.variable = #train.variable<"b", trainable>},
          tensor<2x3xf32> {train.gradient = "b"}) {
    // CHECK: "acme.draw"(%{{.*}}) {train.random = #train.random<per_rank>}
    // KEPT: "acme.draw"(%{{.*}}) {train.random = #train.random<per_rank>}
    %r = "acme.draw"(%seed) {train.random = #train.random<per_rank>} : (i64) -> tensor<4xf32>
    // INLINED: "acme.sum"(%{{.*}}) {train.gradient = "w"}
    %g = call @backward(%x) : (tensor<4x?xf32>) -> tensor<4xf32>
    // CHECK: "acme.backward"(%{{.*}}) {train.gradient = ["", "b", unit]}
    // KEPT: "acme.backward"(%{{.*}}) {train.gradient = ["", "b", unit]}
    %loss, %gb, %ge = "acme.backward"(%x) {train.gradient = ["", "b", unit]} : (tensor<4x?xf32>) -> (index, tensor<2x3xf32>, tensor<4xf32>)
    // CHECK: arith.mulf %{{.*}} {train.gradient}
    // KEPT: arith.mulf %{{.*}} {train.gradient}
    %h = arith.mulf %g, %r {train.gradient} : tensor<4xf32>
    // CHECK: train.mark_gradient %{{.*}} {train.gradient = "w"}
    %m = train.mark_gradient %h {train.gradient = "w"} : tensor<4xf32>
    %w1 = call @update(%w, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "acme.use"(%ge, %noise) : (tensor<4xf32>, tensor<4xf32>) -> ()
    return %w1, %b, %gb : tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
