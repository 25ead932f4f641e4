// An embedding that a step adds to with a scatter.
// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x6xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<6x10xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<24x5xi32>, %arg3: tensor<24xi32>) -> (tensor<20x6xf32> {jax.result_info = "[0]"}, tensor<6x10xf32> {jax.result_info = "[1]"}, tensor<f32> {jax.result_info = "[2]"}, tensor<i32> {jax.result_info = "[3]"}) {
    %0 = "stablehlo.reshape"(%arg2) : (tensor<24x5xi32>) -> tensor<24x5x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<20x6xf32>, tensor<24x5x1xi32>) -> tensor<24x5x6xf32>
    %2 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.reduce"(%1, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x5x6xf32>, tensor<f32>) -> tensor<24x6xf32>
    %4 = "stablehlo.constant"() <{value = dense<2.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x6xf32>
    %6 = "stablehlo.multiply"(%3, %5) : (tensor<24x6xf32>, tensor<24x6xf32>) -> tensor<24x6xf32>
    %7 = "stablehlo.dot_general"(%6, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x6xf32>, tensor<6x10xf32>) -> tensor<24x10xf32>
    %8 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.reduce"(%7, %8) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<24xf32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %11 = "stablehlo.subtract"(%7, %10) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %12 = "stablehlo.exponential"(%11) : (tensor<24x10xf32>) -> tensor<24x10xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.reduce"(%12, %13) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<24xf32>
    %15 = "stablehlo.log"(%14) : (tensor<24xf32>) -> tensor<24xf32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %17 = "stablehlo.subtract"(%11, %16) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %18 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<24x10xi32>
    %19 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xi32>) -> tensor<24x10xi32>
    %20 = "stablehlo.compare"(%19, %18) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<24x10xi32>, tensor<24x10xi32>) -> tensor<24x10xi1>
    %21 = "stablehlo.convert"(%20) : (tensor<24x10xi1>) -> tensor<24x10xf32>
    %22 = "stablehlo.multiply"(%21, %17) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %23 = "stablehlo.negate"(%22) : (tensor<24x10xf32>) -> tensor<24x10xf32>
    %24 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %25 = "stablehlo.reduce"(%23, %24) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<24x10xf32>, tensor<f32>) -> tensor<f32>
    %26 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.divide"(%25, %26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %28 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %29 = "stablehlo.divide"(%12, %28) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %30 = "stablehlo.subtract"(%29, %21) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %31 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %33 = "stablehlo.divide"(%30, %32) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %34 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x10xf32>
    %35 = "stablehlo.compare"(%7, %34) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xi1>
    %36 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %38 = "stablehlo.compare"(%21, %37) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xi1>
    %39 = "stablehlo.and"(%35, %38) : (tensor<24x10xi1>, tensor<24x10xi1>) -> tensor<24x10xi1>
    %40 = "stablehlo.convert"(%39) : (tensor<24x10xi1>) -> tensor<24x10xi32>
    %41 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %42 = "stablehlo.reduce"(%40, %41) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%both) : (tensor<i32>) -> ()
    }) : (tensor<24x10xi32>, tensor<i32>) -> tensor<i32>
    %43 = "stablehlo.dot_general"(%33, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x10xf32>, tensor<6x10xf32>) -> tensor<24x6xf32>
    %44 = "stablehlo.constant"() <{value = dense<2.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x6xf32>
    %46 = "stablehlo.multiply"(%43, %45) : (tensor<24x6xf32>, tensor<24x6xf32>) -> tensor<24x6xf32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<24x6xf32>) -> tensor<24x5x6xf32>
    %48 = "stablehlo.constant"() <{value = dense<-1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x5x6xf32>
    %50 = "stablehlo.multiply"(%47, %49) : (tensor<24x5x6xf32>, tensor<24x5x6xf32>) -> tensor<24x5x6xf32>
    %51 = "stablehlo.scatter"(%arg0, %0, %50) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<20x6xf32>, tensor<24x5x1xi32>, tensor<24x5x6xf32>) -> tensor<20x6xf32>
    %52 = "stablehlo.dot_general"(%33, %6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x10xf32>, tensor<24x6xf32>) -> tensor<10x6xf32>
    %53 = "stablehlo.transpose"(%52) <{permutation = array<i64: 1, 0>}> : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %54 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x10xf32>
    %56 = "stablehlo.multiply"(%53, %55) : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x10xf32>
    %57 = "stablehlo.subtract"(%arg1, %56) : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x10xf32>
    return %51, %57, %27, %42 : tensor<20x6xf32>, tensor<6x10xf32>, tensor<f32>, tensor<i32>
  }
}
