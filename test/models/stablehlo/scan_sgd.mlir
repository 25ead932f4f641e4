// A loop over time that carries a gradient.
// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<12x3x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %start = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %first = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<12x4xf32>}> : () -> tensor<12x4xf32>
    %loop:3 = "stablehlo.while"(%zero, %start, %first) ({
    ^bb0(%time: tensor<i32>, %gradient: tensor<4x4xf32>, %state: tensor<12x4xf32>):
      %end = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %goes = "stablehlo.compare"(%time, %end) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%goes) : (tensor<i1>) -> ()
    }, {
    ^bb0(%time: tensor<i32>, %gradient: tensor<4x4xf32>, %state: tensor<12x4xf32>):
      %slice = "stablehlo.dynamic_slice"(%arg1, %zero, %time, %zero) <{slice_sizes = array<i64: 12, 1, 4>}> : (tensor<12x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x1x4xf32>
      %now = "stablehlo.reshape"(%slice) : (tensor<12x1x4xf32>) -> tensor<12x4xf32>
      %mixed = "stablehlo.dot_general"(%now, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<12x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
      %sum = "stablehlo.add"(%mixed, %state) : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<12x4xf32>
      %next = "stablehlo.tanh"(%sum) : (tensor<12x4xf32>) -> tensor<12x4xf32>
      %own = "stablehlo.dot_general"(%now, %next) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %more = "stablehlo.add"(%gradient, %own) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %later = "stablehlo.add"(%time, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%later, %more, %next) : (tensor<i32>, tensor<4x4xf32>, tensor<12x4xf32>) -> ()
    }) : (tensor<i32>, tensor<4x4xf32>, tensor<12x4xf32>) -> (tensor<i32>, tensor<4x4xf32>, tensor<12x4xf32>)
    %0 = "stablehlo.constant"() <{value = dense<1.000000e-02> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %2 = "stablehlo.multiply"(%loop#1, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = "stablehlo.subtract"(%arg0, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = "stablehlo.multiply"(%loop#2, %loop#2) : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<12x4xf32>
    %5 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x4xf32>, tensor<f32>) -> tensor<f32>
    %7 = "stablehlo.constant"() <{value = dense<4.800000e+01> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.divide"(%6, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %3, %8 : tensor<4x4xf32>, tensor<f32>
  }
}
