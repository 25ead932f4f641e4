// A perceptron with Adam and clipping by the global norm, donated without aliases.
// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32> {jax.buffer_donor = true}, %arg1: tensor<32xf32> {jax.buffer_donor = true}, %arg2: tensor<32x10xf32> {jax.buffer_donor = true}, %arg3: tensor<10xf32> {jax.buffer_donor = true}, %arg4: tensor<16x32xf32> {jax.buffer_donor = true}, %arg5: tensor<32xf32> {jax.buffer_donor = true}, %arg6: tensor<32x10xf32> {jax.buffer_donor = true}, %arg7: tensor<10xf32> {jax.buffer_donor = true}, %arg8: tensor<16x32xf32> {jax.buffer_donor = true}, %arg9: tensor<32xf32> {jax.buffer_donor = true}, %arg10: tensor<32x10xf32> {jax.buffer_donor = true}, %arg11: tensor<10xf32> {jax.buffer_donor = true}, %arg12: tensor<i32> {jax.buffer_donor = true}, %arg13: tensor<24x16xf32>, %arg14: tensor<24xi32>, %arg15: tensor<f32>) -> (tensor<16x32xf32> {jax.result_info = "result[0][0]"}, tensor<32xf32> {jax.result_info = "result[0][1]"}, tensor<32x10xf32> {jax.result_info = "result[0][2]"}, tensor<10xf32> {jax.result_info = "result[0][3]"}, tensor<16x32xf32> {jax.result_info = "result[1][0]"}, tensor<32xf32> {jax.result_info = "result[1][1]"}, tensor<32x10xf32> {jax.result_info = "result[1][2]"}, tensor<10xf32> {jax.result_info = "result[1][3]"}, tensor<16x32xf32> {jax.result_info = "result[2][0]"}, tensor<32xf32> {jax.result_info = "result[2][1]"}, tensor<32x10xf32> {jax.result_info = "result[2][2]"}, tensor<10xf32> {jax.result_info = "result[2][3]"}, tensor<i32> {jax.result_info = "result[3]"}, tensor<f32> {jax.result_info = "result[4]['loss']"}, tensor<f32> {jax.result_info = "result[4]['norm']"}, tensor<i32> {jax.result_info = "result[4]['hits']"}) {
    %0 = "stablehlo.dot_general"(%arg13, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x16xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
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
    %18 = "stablehlo.broadcast_in_dim"(%arg14) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xi32>) -> tensor<24x10xi32>
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
    %47 = "stablehlo.dot_general"(%46, %arg13) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x32xf32>, tensor<24x16xf32>) -> tensor<32x16xf32>
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
    %55 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.multiply"(%48, %48) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %57 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.reduce"(%56, %57) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
    %59 = "stablehlo.add"(%55, %58) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %60 = "stablehlo.multiply"(%50, %50) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %61 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.reduce"(%60, %61) <{dimensions = array<i64: 0>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %63 = "stablehlo.add"(%59, %62) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %64 = "stablehlo.multiply"(%52, %52) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %65 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.reduce"(%64, %65) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<32x10xf32>, tensor<f32>) -> tensor<f32>
    %67 = "stablehlo.add"(%63, %66) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %68 = "stablehlo.multiply"(%54, %54) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %69 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %70 = "stablehlo.reduce"(%68, %69) <{dimensions = array<i64: 0>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %71 = "stablehlo.add"(%67, %70) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %72 = "stablehlo.sqrt"(%71) : (tensor<f32>) -> tensor<f32>
    %73 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.compare"(%72, %73) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %75 = "stablehlo.divide"(%73, %72) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %76 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %77 = "stablehlo.select"(%74, %75, %76) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %79 = "stablehlo.multiply"(%48, %78) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %80 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %81 = "stablehlo.multiply"(%50, %80) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %82 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %83 = "stablehlo.multiply"(%52, %82) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %84 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %85 = "stablehlo.multiply"(%54, %84) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %86 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %87 = "stablehlo.add"(%arg12, %86) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %88 = "stablehlo.convert"(%87) : (tensor<i32>) -> tensor<f32>
    %89 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %90 = "stablehlo.constant"() <{value = dense<9.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %91 = "stablehlo.power"(%90, %88) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %92 = "stablehlo.subtract"(%89, %91) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %93 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %94 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %95 = "stablehlo.power"(%94, %88) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %96 = "stablehlo.subtract"(%93, %95) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %97 = "stablehlo.constant"() <{value = dense<9.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %99 = "stablehlo.multiply"(%arg4, %98) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %100 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %101 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %102 = "stablehlo.multiply"(%79, %101) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %103 = "stablehlo.add"(%99, %102) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %104 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %105 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %106 = "stablehlo.multiply"(%arg8, %105) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %107 = "stablehlo.multiply"(%79, %79) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %108 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %109 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %110 = "stablehlo.multiply"(%107, %109) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %111 = "stablehlo.add"(%106, %110) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %112 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %113 = "stablehlo.divide"(%103, %112) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %114 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %115 = "stablehlo.divide"(%111, %114) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %116 = "stablehlo.sqrt"(%115) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %117 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %119 = "stablehlo.add"(%116, %118) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %120 = "stablehlo.divide"(%113, %119) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %121 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %122 = "stablehlo.multiply"(%121, %120) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %123 = "stablehlo.subtract"(%arg0, %122) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %124 = "stablehlo.constant"() <{value = dense<9.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %126 = "stablehlo.multiply"(%arg5, %125) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %127 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %128 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %129 = "stablehlo.multiply"(%81, %128) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %130 = "stablehlo.add"(%126, %129) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %131 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %132 = "stablehlo.broadcast_in_dim"(%131) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %133 = "stablehlo.multiply"(%arg9, %132) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %134 = "stablehlo.multiply"(%81, %81) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %135 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %137 = "stablehlo.multiply"(%134, %136) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %138 = "stablehlo.add"(%133, %137) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %139 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %140 = "stablehlo.divide"(%130, %139) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %141 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %142 = "stablehlo.divide"(%138, %141) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %143 = "stablehlo.sqrt"(%142) : (tensor<32xf32>) -> tensor<32xf32>
    %144 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %145 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %146 = "stablehlo.add"(%143, %145) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %147 = "stablehlo.divide"(%140, %146) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %148 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %149 = "stablehlo.multiply"(%148, %147) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %150 = "stablehlo.subtract"(%arg1, %149) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %151 = "stablehlo.constant"() <{value = dense<9.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %152 = "stablehlo.broadcast_in_dim"(%151) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %153 = "stablehlo.multiply"(%arg6, %152) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %154 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %155 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %156 = "stablehlo.multiply"(%83, %155) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %157 = "stablehlo.add"(%153, %156) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %158 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %159 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %160 = "stablehlo.multiply"(%arg10, %159) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %161 = "stablehlo.multiply"(%83, %83) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %162 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %163 = "stablehlo.broadcast_in_dim"(%162) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %164 = "stablehlo.multiply"(%161, %163) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %165 = "stablehlo.add"(%160, %164) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %166 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %167 = "stablehlo.divide"(%157, %166) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %168 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %169 = "stablehlo.divide"(%165, %168) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %170 = "stablehlo.sqrt"(%169) : (tensor<32x10xf32>) -> tensor<32x10xf32>
    %171 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %172 = "stablehlo.broadcast_in_dim"(%171) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %173 = "stablehlo.add"(%170, %172) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %174 = "stablehlo.divide"(%167, %173) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %175 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x10xf32>
    %176 = "stablehlo.multiply"(%175, %174) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %177 = "stablehlo.subtract"(%arg2, %176) : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %178 = "stablehlo.constant"() <{value = dense<9.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %179 = "stablehlo.broadcast_in_dim"(%178) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %180 = "stablehlo.multiply"(%arg7, %179) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %181 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %182 = "stablehlo.broadcast_in_dim"(%181) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %183 = "stablehlo.multiply"(%85, %182) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %184 = "stablehlo.add"(%180, %183) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %185 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %186 = "stablehlo.broadcast_in_dim"(%185) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %187 = "stablehlo.multiply"(%arg11, %186) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %188 = "stablehlo.multiply"(%85, %85) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %189 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %190 = "stablehlo.broadcast_in_dim"(%189) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %191 = "stablehlo.multiply"(%188, %190) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %192 = "stablehlo.add"(%187, %191) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %193 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %194 = "stablehlo.divide"(%184, %193) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %195 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %196 = "stablehlo.divide"(%192, %195) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %197 = "stablehlo.sqrt"(%196) : (tensor<10xf32>) -> tensor<10xf32>
    %198 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %199 = "stablehlo.broadcast_in_dim"(%198) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %200 = "stablehlo.add"(%197, %199) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %201 = "stablehlo.divide"(%194, %200) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %202 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %203 = "stablehlo.multiply"(%202, %201) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %204 = "stablehlo.subtract"(%arg3, %203) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    return %123, %150, %177, %204, %103, %130, %157, %184, %111, %138, %165, %192, %87, %26, %72, %41 : tensor<16x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<i32>
  }
  func.func private @relu(%arg0: tensor<24x32xf32>) -> tensor<24x32xf32> {
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x32xf32>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    return %2 : tensor<24x32xf32>
  }
}
