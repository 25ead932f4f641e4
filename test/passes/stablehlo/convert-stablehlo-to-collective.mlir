// What StableHLO's collectives become, and that they come back as they were.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --convert-stablehlo-to-collective | FileCheck %s
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file -o %t.before
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --convert-stablehlo-to-collective --convert-collective-to-stablehlo -o %t.after
// RUN: diff %t.before %t.after

// Channels that are counted, and global ids, go without a mark.
// CHECK-LABEL: module @sums
// CHECK: collective.group @world {size = 4 : i64}
// CHECK: collective.group @replicas members(#collective.ranks<{{\[\[}}0, 2], [1, 3]]>)
module @sums attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func public @main(%arg0: tensor<8x2xf32>, %arg1: tensor<3xf32>) -> (tensor<8x2xf32>, tensor<3xf32>, tensor<2x2xf32>) {
    // CHECK: %[[SUM:.*]]:2 = collective.all_reduce sum %arg0, %arg1 on @world : tensor<8x2xf32>, tensor<3xf32>
    %0:2 = "stablehlo.all_reduce"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<8x2xf32>, tensor<3xf32>) -> (tensor<8x2xf32>, tensor<3xf32>)
    // CHECK: collective.all_reduce max %[[SUM]]#1 on @replicas {stablehlo.channel = "", stablehlo.local_ids} : tensor<3xf32>
    %1 = "stablehlo.all_reduce"(%0#1) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.maximum"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<3xf32>) -> tensor<3xf32>
    // CHECK: collective.reduce_scatter sum %[[SUM]]#0 along 0 on @world : tensor<8x2xf32> -> tensor<2x2xf32>
    %2 = "stablehlo.reduce_scatter"(%0#0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<8x2xf32>) -> tensor<2x2xf32>
    return %0#0, %1, %2 : tensor<8x2xf32>, tensor<3xf32>, tensor<2x2xf32>
  }
}

// -----

// One number for all channels stays, and so does every other attribute.
// CHECK-LABEL: module @moves
module @moves attributes {mhlo.num_replicas = 4 : i32} {
  func.func public @main(%arg0: tensor<8x2xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
    // CHECK: collective.all_gather %arg0 along 1 on @world {mhlo.frontend_attributes = {a = "b"}, stablehlo.channel = "channel_handle<handle = 1, type = 1>"}
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> {mhlo.frontend_attributes = {a = "b"}} : (tensor<8x2xf32>) -> tensor<8x8xf32>
    // CHECK: collective.all_gather %arg0 along 1 on @world {stablehlo.channel = "channel_handle<handle = 1, type = 1>", stablehlo.local_ids}
    %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<8x2xf32>) -> tensor<8x8xf32>
    // CHECK: collective.all_to_all %arg0 split 0 concat 1 on @world
    %2 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x2xf32>) -> tensor<2x8xf32>
    // CHECK: collective.broadcast %arg0 from 2 on @world
    %3 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[2, 0, 1, 3]]> : tensor<1x4xi64>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    // CHECK: collective.broadcast %arg0 from 0 on @replicas
    %4 = "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[2, 1, 0, 3]]> : tensor<1x4xi64>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    // CHECK: %[[COUNTS:.*]] = arith.constant dense<{{\[\[}}0, 8, 0, 0], [0, 0, 8, 0], [0, 0, 0, 0], [8, 0, 0, 0]]>
    // CHECK: collective.all_to_all_vc %arg0 into %{{.*}} counts(%[[COUNTS]]) on @world {stablehlo.pairs
    %5 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2]]> : tensor<3x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
  }
}

// -----

// A future; and slices, which are no communication, stay.
// CHECK-LABEL: module @futures
module @futures attributes {mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    // CHECK: %[[FUTURE:.*]] = collective.async {
    // CHECK:   %[[SUM:.*]] = collective.all_reduce sum %arg0 on @world : tensor<8xf32>
    // CHECK:   collective.yield %[[SUM]] : tensor<8xf32>
    // CHECK: } : !collective.future<tensor<8xf32>>
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<8xf32>):
      %4 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %5 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%5) : (tensor<f32>) -> ()
      }) : (tensor<8xf32>) -> tensor<8xf32>
      "stablehlo.return"(%4) : (tensor<8xf32>) -> ()
    }) : (tensor<8xf32>) -> !stablehlo.future<tensor<8xf32>>
    // CHECK: stablehlo.async_start
    %1 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<8xf32>):
      %4 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 4>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<4xf32>
      "stablehlo.return"(%4) : (tensor<4xf32>) -> ()
    }) : (tensor<8xf32>) -> !stablehlo.future<tensor<4xf32>>
    %2 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
    // CHECK: collective.await %[[FUTURE]] : !collective.future<tensor<8xf32>>
    %3 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
    return %3, %2 : tensor<8xf32>, tensor<4xf32>
  }
}

// -----

// Empty groups are all replicas, however many there are; short groups are filled up with -1.
// CHECK-LABEL: module @groups
module @groups {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    // CHECK: collective.all_reduce prod %arg0 on @world {stablehlo.all_replicas, stablehlo.channel = "", stablehlo.local_ids}
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = "stablehlo.multiply"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    // CHECK: collective.all_reduce min %{{.*}} on @replicas
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1, 3], [2, -1, -1]]> : tensor<2x3xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = "stablehlo.minimum"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
