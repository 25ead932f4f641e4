// A perceptron with SGD, donated arguments with aliases.
// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<32x10xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<24x16xf32>, %arg5: tensor<24xi32>) -> (tensor<16x32xf32> {jax.result_info = "result[0]['w1']"}, tensor<32xf32> {jax.result_info = "result[0]['b1']"}, tensor<32x10xf32> {jax.result_info = "result[0]['w2']"}, tensor<10xf32> {jax.result_info = "result[0]['b2']"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}) {
    %0 = "stablehlo.dot_general"(%arg4, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x16xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
    %1 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<32xf32>) -> tensor<24x32xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %3 = "func.call"(%2) <{callee = @relu}> : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %4 = "stablehlo.dot_general"(%3, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x32xf32>, tensor<32x10xf32>) -> tensor<24x10xf32>
    %5 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 1>}> : (tensor<10xf32>) -> tensor<24x10xf32>
    %6 = "stablehlo.add"(%4, %5) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %7 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%6, %7) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<24xf32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %10 = "stablehlo.subtract"(%6, %9) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %11 = "stablehlo.exponential"(%10) : (tensor<24x10xf32>) -> tensor<24x10xf32>
    %12 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.reduce"(%11, %12) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<24xf32>
    %14 = "stablehlo.log"(%13) : (tensor<24xf32>) -> tensor<24xf32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %16 = "stablehlo.subtract"(%10, %15) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %17 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<24x10xi32>
    %18 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xi32>) -> tensor<24x10xi32>
    %19 = "stablehlo.compare"(%18, %17) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<24x10xi32>, tensor<24x10xi32>) -> tensor<24x10xi1>
    %20 = "stablehlo.convert"(%19) : (tensor<24x10xi1>) -> tensor<24x10xf32>
    %21 = "stablehlo.multiply"(%20, %16) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %22 = "stablehlo.negate"(%21) : (tensor<24x10xf32>) -> tensor<24x10xf32>
    %23 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %24 = "stablehlo.reduce"(%22, %23) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<f32>
    %25 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.divide"(%24, %25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %28 = "stablehlo.divide"(%11, %27) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %29 = "stablehlo.subtract"(%28, %20) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %30 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %32 = "stablehlo.divide"(%29, %31) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %33 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %34 = "stablehlo.compare"(%6, %33) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xi1>
    %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %37 = "stablehlo.compare"(%20, %36) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xi1>
    %38 = "stablehlo.and"(%34, %37) : (tensor<24x10xi1>, tensor<24x10xi1>) -> tensor<24x10xi1>
    %39 = "stablehlo.convert"(%38) : (tensor<24x10xi1>) -> tensor<24x10xi32>
    %40 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %41 = "stablehlo.reduce"(%39, %40) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%both) : (tensor<i32>) -> ()
    }) : (tensor<24x10xi32>, tensor<i32>) -> tensor<i32>
    %42 = "stablehlo.dot_general"(%32, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x10xf32>, tensor<32x10xf32>) -> tensor<24x32xf32>
    %43 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x32xf32>
    %45 = "stablehlo.compare"(%2, %44) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xi1>
    %46 = "stablehlo.select"(%45, %42, %44) : (tensor<24x32xi1>, tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %47 = "stablehlo.dot_general"(%46, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x32xf32>, tensor<24x16xf32>) -> tensor<32x16xf32>
    %48 = "stablehlo.transpose"(%47) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %49 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.reduce"(%46, %49) <{dimensions = array<i64: 0>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x32xf32>, tensor<f32>) -> tensor<32xf32>
    %51 = "stablehlo.dot_general"(%32, %3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x10xf32>, tensor<24x32xf32>) -> tensor<10x32xf32>
    %52 = "stablehlo.transpose"(%51) <{permutation = array<i64: 1, 0>}> : (tensor<10x32xf32>) -> tensor<32x10xf32>
    %53 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.reduce"(%32, %53) <{dimensions = array<i64: 0>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<10xf32>
    %55 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %57 = "stablehlo.multiply"(%48, %56) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %58 = "stablehlo.subtract"(%arg0, %57) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %59 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %60 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %61 = "stablehlo.multiply"(%50, %60) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %62 = "stablehlo.subtract"(%arg1, %61) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %63 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %65 = "stablehlo.multiply"(%52, %64) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %66 = "stablehlo.subtract"(%arg2, %65) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %67 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %69 = "stablehlo.multiply"(%54, %68) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %70 = "stablehlo.subtract"(%arg3, %69) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    return %58, %62, %66, %70, %26, %41 : tensor<16x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<f32>, tensor<i32>
  }
  func.func private @relu(%arg0: tensor<24x32xf32>) -> tensor<24x32xf32> {
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x32xf32>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    return %2 : tensor<24x32xf32>
  }
}
