// What only we have: means, buckets of two element types, groups by rule, buckets that run beside computation.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --convert-collective-to-stablehlo | FileCheck %s

// CHECK-LABEL: module @means
// CHECK-NOT: collective.group
module @means {
  collective.group @world {size = 4 : i64}
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<2xi32>, %arg2: tensor<3xf32>) -> (tensor<8xf32>, tensor<2xi32>, tensor<3xf32>) {
    // CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
    // CHECK: %[[FOUR:.*]] = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<8xf32>}>
    // CHECK: "stablehlo.divide"(%[[SUM]], %[[FOUR]])
    %0 = collective.all_reduce mean %arg0 on @world : tensor<8xf32>
    // CHECK: "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2
    // CHECK: "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 3
    %1:2 = collective.all_reduce sum %arg1, %arg2 on @world : tensor<2xi32>, tensor<3xf32>
    return %0, %1#0, %1#1 : tensor<8xf32>, tensor<2xi32>, tensor<3xf32>
  }
}

// -----

// CHECK-LABEL: module @sets
module @sets {
  collective.group @world {size = 4 : i64}
  collective.group @rows members(#collective.blocks<2>)
  collective.group @columns members(#collective.strided<2>)
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<16xf32>, tensor<8xf32>) {
    // CHECK: replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>
    %0 = collective.all_reduce min %arg0 on @rows : tensor<8xf32>
    // CHECK: replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>
    %1 = collective.all_gather %arg0 along 0 on @columns : tensor<8xf32> -> tensor<16xf32>
    // The root comes first.
    // CHECK: "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<{{\[\[}}1, 0], [3, 2]]> : tensor<2x2xi64>}>
    %2 = collective.broadcast %arg0 from 1 on @rows : tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<16xf32>, tensor<8xf32>
  }
}

// -----

// A future of StableHLO holds one tensor.
// CHECK-LABEL: module @beside
module @beside {
  collective.group @world {size = 2 : i64}
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<2xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
    // CHECK: %[[ONE:.*]] = "stablehlo.async_start"(%arg0) ({
    // CHECK-NEXT: ^bb0(%[[IN:.*]]: tensor<8xf32>):
    // CHECK-NEXT: "stablehlo.all_reduce"(%[[IN]]) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
    // CHECK: }) : (tensor<8xf32>) -> !stablehlo.future<tensor<8xf32>>
    // CHECK: %[[TWO:.*]] = "stablehlo.async_start"(%arg1) ({
    // CHECK: "stablehlo.all_reduce"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>
    // CHECK: }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
    %0 = collective.async {
      %2:2 = collective.all_reduce sum %arg0, %arg1 on @world : tensor<8xf32>, tensor<2xf32>
      collective.yield %2#0, %2#1 : tensor<8xf32>, tensor<2xf32>
    } : !collective.future<tensor<8xf32>, tensor<2xf32>>
    // CHECK: "stablehlo.async_done"(%[[ONE]]) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
    // CHECK: "stablehlo.async_done"(%[[TWO]]) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
    %1:2 = collective.await %0 : !collective.future<tensor<8xf32>, tensor<2xf32>>
    return %1#0, %1#1 : tensor<8xf32>, tensor<2xf32>
  }
}
