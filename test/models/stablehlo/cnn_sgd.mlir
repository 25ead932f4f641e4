// A small convolutional network whose mean over the batch is part of it; all in generic form.
// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{tf.aliasing_output = 0 : i32}, {tf.aliasing_output = 1 : i32}, {tf.aliasing_output = 2 : i32}, {}, {}], function_type = (tensor<3x3x1x4xf32>, tensor<4xf32>, tensor<64x10xf32>, tensor<12x8x8x1xf32>, tensor<12xi32>) -> (tensor<3x3x1x4xf32>, tensor<4xf32>, tensor<64x10xf32>, tensor<f32>, tensor<i32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x3x1x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<64x10xf32>, %arg3: tensor<12x8x8x1xf32>, %arg4: tensor<12xi32>):
    %0 = "stablehlo.convolution"(%arg3, %arg0) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<12x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<12x8x8x4xf32>
    %1 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 3>}> : (tensor<4xf32>) -> tensor<12x8x8x4xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<12x8x8x4xf32>, tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = "stablehlo.constant"() <{value = dense<7.680000e+02> : tensor<4xf32>}> : () -> tensor<4xf32>
    %6 = "stablehlo.divide"(%4, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 3>}> : (tensor<4xf32>) -> tensor<12x8x8x4xf32>
    %8 = "stablehlo.subtract"(%2, %7) : (tensor<12x8x8x4xf32>, tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %9 = "stablehlo.tanh"(%8) : (tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.reduce_window"(%9, %10) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x8x8x4xf32>, tensor<f32>) -> tensor<12x4x4x4xf32>
    %12 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x4x4x4xf32>
    %14 = "stablehlo.multiply"(%11, %13) : (tensor<12x4x4x4xf32>, tensor<12x4x4x4xf32>) -> tensor<12x4x4x4xf32>
    %15 = "stablehlo.reshape"(%14) : (tensor<12x4x4x4xf32>) -> tensor<12x64xf32>
    %16 = "stablehlo.dot_general"(%15, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x64xf32>, tensor<64x10xf32>) -> tensor<12x10xf32>
    %17 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %18 = "stablehlo.reduce"(%16, %17) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x10xf32>, tensor<f32>) -> tensor<12xf32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0>}> : (tensor<12xf32>) -> tensor<12x10xf32>
    %20 = "stablehlo.subtract"(%16, %19) : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %21 = "stablehlo.exponential"(%20) : (tensor<12x10xf32>) -> tensor<12x10xf32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.reduce"(%21, %22) <{dimensions = array<i64: 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x10xf32>, tensor<f32>) -> tensor<12xf32>
    %24 = "stablehlo.log"(%23) : (tensor<12xf32>) -> tensor<12xf32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64: 0>}> : (tensor<12xf32>) -> tensor<12x10xf32>
    %26 = "stablehlo.subtract"(%20, %25) : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %27 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<12x10xi32>
    %28 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 0>}> : (tensor<12xi32>) -> tensor<12x10xi32>
    %29 = "stablehlo.compare"(%28, %27) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<12x10xi32>, tensor<12x10xi32>) -> tensor<12x10xi1>
    %30 = "stablehlo.convert"(%29) : (tensor<12x10xi1>) -> tensor<12x10xf32>
    %31 = "stablehlo.multiply"(%30, %26) : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %32 = "stablehlo.negate"(%31) : (tensor<12x10xf32>) -> tensor<12x10xf32>
    %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.reduce"(%32, %33) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x10xf32>, tensor<f32>) -> tensor<f32>
    %35 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.divide"(%34, %35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64: 0>}> : (tensor<12xf32>) -> tensor<12x10xf32>
    %38 = "stablehlo.divide"(%21, %37) : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %39 = "stablehlo.subtract"(%38, %30) : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %40 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x10xf32>
    %42 = "stablehlo.divide"(%39, %41) : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %43 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0>}> : (tensor<12xf32>) -> tensor<12x10xf32>
    %44 = "stablehlo.compare"(%16, %43) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xi1>
    %45 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x10xf32>
    %47 = "stablehlo.compare"(%30, %46) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<12x10xf32>, tensor<12x10xf32>) -> tensor<12x10xi1>
    %48 = "stablehlo.and"(%44, %47) : (tensor<12x10xi1>, tensor<12x10xi1>) -> tensor<12x10xi1>
    %49 = "stablehlo.convert"(%48) : (tensor<12x10xi1>) -> tensor<12x10xi32>
    %50 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %51 = "stablehlo.reduce"(%49, %50) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%both) : (tensor<i32>) -> ()
    }) : (tensor<12x10xi32>, tensor<i32>) -> tensor<i32>
    %52 = "stablehlo.dot_general"(%42, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x10xf32>, tensor<64x10xf32>) -> tensor<12x64xf32>
    %53 = "stablehlo.reshape"(%52) : (tensor<12x64xf32>) -> tensor<12x4x4x4xf32>
    %54 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x4x4x4xf32>
    %56 = "stablehlo.multiply"(%53, %55) : (tensor<12x4x4x4xf32>, tensor<12x4x4x4xf32>) -> tensor<12x4x4x4xf32>
    %57 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.pad"(%56, %57) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 1, 1, 0>}> : (tensor<12x4x4x4xf32>, tensor<f32>) -> tensor<12x7x7x4xf32>
    %59 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %60 = "stablehlo.reduce_window"(%58, %59) <{padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x7x7x4xf32>, tensor<f32>) -> tensor<12x8x8x4xf32>
    %61 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x8x8x4xf32>
    %63 = "stablehlo.multiply"(%9, %9) : (tensor<12x8x8x4xf32>, tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %64 = "stablehlo.subtract"(%62, %63) : (tensor<12x8x8x4xf32>, tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %65 = "stablehlo.multiply"(%60, %64) : (tensor<12x8x8x4xf32>, tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %66 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.reduce"(%65, %66) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %68 = "stablehlo.constant"() <{value = dense<7.680000e+02> : tensor<4xf32>}> : () -> tensor<4xf32>
    %69 = "stablehlo.divide"(%67, %68) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %70 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64: 3>}> : (tensor<4xf32>) -> tensor<12x8x8x4xf32>
    %71 = "stablehlo.subtract"(%65, %70) : (tensor<12x8x8x4xf32>, tensor<12x8x8x4xf32>) -> tensor<12x8x8x4xf32>
    %72 = "stablehlo.convolution"(%arg3, %71) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<12x8x8x1xf32>, tensor<12x8x8x4xf32>) -> tensor<3x3x1x4xf32>
    %73 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.reduce"(%71, %73) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%both) : (tensor<f32>) -> ()
    }) : (tensor<12x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %75 = "stablehlo.dot_general"(%42, %15) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x10xf32>, tensor<12x64xf32>) -> tensor<10x64xf32>
    %76 = "stablehlo.transpose"(%75) <{permutation = array<i64: 1, 0>}> : (tensor<10x64xf32>) -> tensor<64x10xf32>
    %77 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %79 = "stablehlo.multiply"(%72, %78) : (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>) -> tensor<3x3x1x4xf32>
    %80 = "stablehlo.subtract"(%arg0, %79) : (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>) -> tensor<3x3x1x4xf32>
    %81 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %83 = "stablehlo.multiply"(%74, %82) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %84 = "stablehlo.subtract"(%arg1, %83) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %85 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %86 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x10xf32>
    %87 = "stablehlo.multiply"(%76, %86) : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    %88 = "stablehlo.subtract"(%arg2, %87) : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    "func.return"(%80, %84, %88, %36, %51) : (tensor<3x3x1x4xf32>, tensor<4xf32>, tensor<64x10xf32>, tensor<f32>, tensor<i32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
