// What arguments and results become, and that they are given back as they were.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --stablehlo-import-roles | FileCheck %s
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file -o %t.before
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --stablehlo-import-roles --stablehlo-export-roles -o %t.after
// RUN: diff %t.before %t.after

// Aliases say what state is; a rate and a key are given to all.
// CHECK-LABEL: module @aliases
// CHECK-SAME: train.deterministic = ["stablehlo.add", "stablehlo.constant", "stablehlo.reduce"], train.program
module @aliases attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // CHECK: train.dataset @batch {global_batch = 8 : i64}
  // CHECK: train.dataset @given
  // CHECK: func.func public @step(
  // CHECK-SAME: %arg0: tensor<4xf32> {tf.aliasing_output = 1 : i32, train.variable = #train.variable<"arg0", trainable>}
  // CHECK-SAME: %arg1: tensor<i32> {tf.aliasing_output = 2 : i32, train.variable = #train.variable<"arg1", other>}
  // CHECK-SAME: %arg2: tensor<8x4xf32> {train.input = #train.input<"arg2", @batch>}
  // CHECK-SAME: %arg3: tensor<f32> {train.input = #train.input<"arg3", @given>}
  // CHECK-SAME: %arg4: tensor<2xui32> {train.input = #train.input<"arg4", @given>}
  // CHECK-SAME: -> (tensor<f32> {jax.result_info = "loss", train.metric = "loss"},
  // CHECK-SAME: tensor<4xf32> {train.variable = #train.variable<"arg0", trainable>},
  // CHECK-SAME: tensor<i32> {train.variable = #train.variable<"arg1", other>},
  // CHECK-SAME: tensor<8x4xf32> {train.output = "result3"})
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<i32> {tf.aliasing_output = 2 : i32}, %arg2: tensor<8x4xf32>, %arg3: tensor<f32>, %arg4: tensor<2xui32>) -> (tensor<f32> {jax.result_info = "loss"}, tensor<4xf32>, tensor<i32>, tensor<8x4xf32>) {
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %2 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1, %arg0, %arg1, %arg2 : tensor<f32>, tensor<4xf32>, tensor<i32>, tensor<8x4xf32>
  }
  // CHECK: func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"arg0", trainable>}, tensor<i32>
}

// -----

// Donors of one type, of which there are as many as results, in order. What is no part of the loss is state of the optimizer.
// CHECK-LABEL: module @donors
module @donors {
  // CHECK: %arg0: tensor<4xf32> {jax.buffer_donor = true, train.variable = #train.variable<"arg0", trainable>}
  // CHECK-SAME: %arg1: tensor<4xf32> {jax.buffer_donor = true, train.variable = #train.variable<"arg1", state>}
  // CHECK-SAME: -> (tensor<4xf32> {train.variable = #train.variable<"arg0", trainable>},
  // CHECK-SAME: tensor<4xf32> {train.variable = #train.variable<"arg1", state>}, tensor<f32> {train.metric = "result2"})
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<4xf32> {jax.buffer_donor = true}, %arg2: tensor<8x4xf32> {jax.buffer_donor = true}) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<1xf32>) -> tensor<f32>
    return %0, %arg1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}

// -----

// More results than donors: the one that the donor is updated into, not one that only has its type.
// CHECK-LABEL: module @updated
module @updated {
  // CHECK: -> (tensor<4xf32> {train.output = "result0"}, tensor<4xf32> {train.variable = #train.variable<"arg0", trainable>})
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.dot_general"(%arg1, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.subtract"(%arg0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Variables are returned in the order in which they are taken; their places are kept for the way back.
// CHECK-LABEL: module @crossed
module @crossed {
  // CHECK: %arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32
  // CHECK-SAME: %arg1: tensor<5xf32> {tf.aliasing_output = 2 : i32
  // CHECK-SAME: -> (tensor<4xf32> {stablehlo.place = 2 : i32, train.variable
  // CHECK-SAME: tensor<f32> {stablehlo.place = 1 : i32, train.metric
  // CHECK-SAME: tensor<5xf32> {stablehlo.place = 0 : i32, train.variable
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 2 : i32}, %arg1: tensor<5xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<8x4xf32>, %arg3: tensor<f32>) -> (tensor<5xf32>, tensor<f32>, tensor<4xf32>) {
    return %arg1, %arg3, %arg0 : tensor<5xf32>, tensor<f32>, tensor<4xf32>
  }
}
