// Where ranks reduce, what becomes smaller, and what stays.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --stablehlo-import-roles --stablehlo-distribute=ranks=4 | FileCheck %s
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --stablehlo-import-roles -o %t.before
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --stablehlo-import-roles --stablehlo-distribute=ranks=1 -o %t.one
// RUN: diff %t.before %t.one

// A gradient that is used twice is reduced once, before it is squared; scaling stays after it.
// CHECK-LABEL: module @used_twice
// CHECK: collective.group @world {size = 4 : i64}
// CHECK: train.dataset @batch {global_batch = 8 : i64, shard = #train.shard<contiguous, error, @world, ranks = 4>}
module @used_twice {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    // CHECK: %[[OWN:.*]] = "stablehlo.reduce"(%arg2
    // CHECK: (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    // CHECK: %[[SUM:.*]] = collective.all_reduce sum %[[OWN]] on @world : tensor<4xf32>
    %1 = "stablehlo.reduce"(%arg2, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %5 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    // CHECK: "stablehlo.add"(%arg0, %[[SUM]])
    %2 = "stablehlo.add"(%arg0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[SQUARE:.*]] = "stablehlo.multiply"(%[[SUM]], %[[SUM]])
    %3 = "stablehlo.multiply"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK-NOT: all_reduce
    // CHECK: "stablehlo.add"(%arg1, %[[SQUARE]])
    %4 = "stablehlo.add"(%arg1, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %2, %4 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Two gradients of one variable travel as their sum; a sum of all elements as a scalar, after which its mean is taken.
// CHECK-LABEL: module @tied
module @tied {
  func.func public @main(%arg0: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x4xf32>, %arg2: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
    // CHECK: %[[ONE:.*]] = "stablehlo.dot_general"(%arg1, %arg2)
    %0 = "stablehlo.dot_general"(%arg1, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    // CHECK: %[[OTHER:.*]] = "stablehlo.dot_general"(%arg1, %arg1)
    %1 = "stablehlo.dot_general"(%arg1, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    // CHECK: %[[BOTH:.*]] = "stablehlo.add"(%[[ONE]], %[[OTHER]])
    // CHECK: %[[SUM:.*]] = collective.all_reduce sum %[[BOTH]] on @world : tensor<4x4xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // CHECK: "stablehlo.subtract"(%arg0, %[[SUM]])
    %3 = "stablehlo.subtract"(%arg0, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    // CHECK: %[[ROWS:.*]] = "stablehlo.reduce"(%arg1,
    // CHECK: %[[LOSS:.*]] = "stablehlo.reduce"(%[[ROWS]],
    // CHECK: collective.all_reduce sum %[[LOSS]] on @world : tensor<f32>
    // CHECK-NOT: all_reduce
    %5 = "stablehlo.reduce"(%arg1, %4) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = "stablehlo.reduce"(%5, %4) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %7 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.divide"(%6, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %3, %8 : tensor<4x4xf32>, tensor<f32>
  }
}

// -----

// What is whole beside a part is made smaller, or sliced by rank; a result of every sample is gathered; bits travel as bytes.
// CHECK-LABEL: module @beside_parts
module @beside_parts {
  func.func public @main(%arg0: tensor<8x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<i1>) {
    // CHECK: %[[ID:.*]] = "stablehlo.replica_id"() : () -> tensor<ui32>
    // CHECK: %[[RANK:.*]] = "stablehlo.convert"(%[[ID]]) : (tensor<ui32>) -> tensor<i32>
    // CHECK: %[[OFFSET:.*]] = "stablehlo.multiply"(%[[RANK]],
    // CHECK: %[[SLICE:.*]] = "stablehlo.dynamic_slice"(%arg0, %[[OFFSET]], %{{.*}}) <{slice_sizes = array<i64: 2, 4>}> : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    // CHECK: %[[SUM:.*]] = "stablehlo.add"(%arg1, %[[SLICE]]) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %0 = "stablehlo.add"(%arg1, %arg0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    // CHECK: collective.all_gather %[[SUM]] along 0 on @world : tensor<2x4xf32> -> tensor<8x4xf32>
    // CHECK: %[[CONSTANT:.*]] = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<2x4xf32>}>
    %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<8x4xf32>}> : () -> tensor<8x4xf32>
    // CHECK: "stablehlo.compare"(%[[SUM]], %[[CONSTANT]])
    %2 = "stablehlo.compare"(%0, %1) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>
    %3 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    // CHECK: %[[ANY:.*]] = "stablehlo.reduce"
    // CHECK: %[[BYTES:.*]] = "stablehlo.convert"(%[[ANY]]) : (tensor<i1>) -> tensor<i8>
    // CHECK: %[[LARGEST:.*]] = collective.all_reduce max %[[BYTES]] on @world : tensor<i8>
    // CHECK: "stablehlo.convert"(%[[LARGEST]]) : (tensor<i8>) -> tensor<i1>
    %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      %5 = "stablehlo.or"(%arg2, %arg3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%5) : (tensor<i1>) -> ()
    }) : (tensor<8x4xi1>, tensor<i1>) -> tensor<i1>
    return %0, %4 : tensor<8x4xf32>, tensor<i1>
  }
}

// -----

// A loop that sums over time carries its part of the sum, which is reduced once, after it.
// CHECK-LABEL: module @scan
module @scan {
  func.func public @main(%arg0: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x3x4xf32>) -> tensor<4x4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    // CHECK: %[[LOOP:.*]]:2 = "stablehlo.while"
    // CHECK-NOT: all_reduce
    // CHECK: "stablehlo.dynamic_slice"{{.*}} <{slice_sizes = array<i64: 2, 1, 4>}>
    // CHECK-NOT: all_reduce
    // CHECK: (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
    // CHECK: %[[SUM:.*]] = collective.all_reduce sum %[[LOOP]]#1 on @world : tensor<4x4xf32>
    // CHECK: "stablehlo.subtract"(%arg0, %[[SUM]])
    %2:2 = "stablehlo.while"(%0, %1) ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<4x4xf32>):
      %4 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %5 = "stablehlo.compare"(%arg2, %4) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%5) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<4x4xf32>):
      %4 = "stablehlo.dynamic_slice"(%arg1, %0, %arg2, %0) <{slice_sizes = array<i64: 8, 1, 4>}> : (tensor<8x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x1x4xf32>
      %5 = "stablehlo.reshape"(%4) : (tensor<8x1x4xf32>) -> tensor<8x4xf32>
      %6 = "stablehlo.dot_general"(%5, %5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %7 = "stablehlo.add"(%arg3, %6) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %8 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %9 = "stablehlo.add"(%arg2, %8) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%9, %7) : (tensor<i32>, tensor<4x4xf32>) -> ()
    }) : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
    %3 = "stablehlo.subtract"(%arg0, %2#1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
}

// -----

// Each rank has two of the eight groups of samples, and their kernels; what CHLO calls erf works on parts.
// CHECK-LABEL: module @groups
module @groups {
  func.func public @main(%arg0: tensor<8x2x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x2x4xf32>) -> (tensor<8x2x3xf32>, tensor<1x8x2xf32>) {
    // CHECK: %[[KERNELS:.*]] = "stablehlo.dynamic_slice"(%arg0, {{.*}}) <{slice_sizes = array<i64: 2, 2, 3>}>
    // CHECK: %[[ERF:.*]] = "stablehlo.custom_call"(%arg1) <{call_target_name = "mhlo.erf"}> {train.deterministic} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
    %0 = "stablehlo.custom_call"(%arg1) <{call_target_name = "mhlo.erf"}> : (tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
    // CHECK: %[[MADE:.*]] = "stablehlo.convolution"(%[[ERF]], %[[KERNELS]]) <{batch_group_count = 2 : i64, {{.*}}feature_group_count = 1 : i64}> : (tensor<2x2x4xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
    %1 = "stablehlo.convolution"(%0, %arg0) <{batch_group_count = 8 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<8x2x4xf32>, tensor<8x2x3xf32>) -> tensor<1x8x2xf32>
    // CHECK: collective.all_gather %[[MADE]] along 1 on @world : tensor<1x2x2xf32> -> tensor<1x8x2xf32>
    return %arg0, %1 : tensor<8x2x3xf32>, tensor<1x8x2xf32>
  }
}
