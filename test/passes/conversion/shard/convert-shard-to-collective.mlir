// Every communication of the shard dialect on a grid becomes collectives on groups of ranks.
// RUN: dist-opt %s --convert-shard-to-collective | FileCheck %s

// CHECK: collective.group @world {size = 8 : i64}
// CHECK-DAG: collective.group @grid_0 members(#collective.strided<4>)
// CHECK-DAG: collective.group @grid_1 members(#collective.blocks<4>)
// CHECK-DAG: collective.group @grid_1_0 members(#collective.ranks<{{\[\[}}0, 4, 1, 5, 2, 6, 3, 7]]>)
// CHECK-NOT: shard.
shard.grid @grid(shape = 2x4)

// CHECK-LABEL: func.func @reductions
func.func @reductions(%a: tensor<8x2xf32>, %b: tensor<8xf16>, %c: tensor<8xi32>) -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<2x2xf32>) {
  // CHECK: collective.all_reduce sum %{{.*}} on @grid_1 : tensor<8x2xf32>
  %0 = shard.all_reduce %a on @grid grid_axes = [1] : tensor<8x2xf32> -> tensor<8x2xf32>
  // CHECK: collective.all_reduce mean %{{.*}} on @world : tensor<8x2xf32>
  %1 = shard.all_reduce %a on @grid grid_axes = [0, 1] reduction = average : tensor<8x2xf32> -> tensor<8x2xf32>
  // The element type of the result is the one that is reduced.
  // CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
  // CHECK: collective.all_reduce max %[[WIDE]] on @grid_0 : tensor<8xf32>
  %2 = shard.all_reduce %b on @grid grid_axes = [0] reduction = max : tensor<8xf16> -> tensor<8xf32>
  // CHECK: collective.all_reduce prod %{{.*}} on @grid_0 : tensor<8xi32>
  %3 = shard.all_reduce %c on @grid grid_axes = [0] reduction = product : tensor<8xi32> -> tensor<8xi32>
  // CHECK: collective.reduce min %{{.*}} to 3 on @grid_1_0 : tensor<8x2xf32>
  %4 = shard.reduce %a on @grid grid_axes = [1, 0] reduction = min root = [1, 1] : (tensor<8x2xf32>) -> tensor<8x2xf32>
  // CHECK: collective.reduce_scatter sum %{{.*}} along 0 on @grid_1 : tensor<8x2xf32> -> tensor<2x2xf32>
  %5 = shard.reduce_scatter %a on @grid grid_axes = [1] scatter_axis = 0 : tensor<8x2xf32> -> tensor<2x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func.func @moves
func.func @moves(%a: tensor<8x2xf32>, %index: index) -> (tensor<8x4xf32>, tensor<2x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<16x2xf32>, tensor<2x2xf32>, tensor<8x2xf32>) {
  // CHECK: collective.all_gather %{{.*}} along 1 on @grid_0 : tensor<8x2xf32> -> tensor<8x4xf32>
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 1 : tensor<8x2xf32> -> tensor<8x4xf32>
  // CHECK: %[[RANK:.*]] = collective.rank on @grid_1
  // CHECK: %[[AT:.*]] = arith.muli %[[RANK]], %c2
  // CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0] [2, 2] [1, 1]
  %1 = shard.all_slice %a on @grid grid_axes = [1] slice_axis = 0 : tensor<8x2xf32> -> tensor<2x2xf32>
  // CHECK: collective.all_to_all %{{.*}} split 0 concat 1 on @grid_1 : tensor<8x2xf32> -> tensor<2x8xf32>
  %2 = shard.all_to_all %a on @grid grid_axes = [1] split_axis = 0 concat_axis = 1 : tensor<8x2xf32> -> tensor<2x8xf32>
  // CHECK: collective.broadcast %{{.*}} from 6 on @world : tensor<8x2xf32>
  %3 = shard.broadcast %a on @grid grid_axes = [0, 1] root = [1, 2] : (tensor<8x2xf32>) -> tensor<8x2xf32>
  // CHECK: collective.gather %{{.*}} along 0 to 1 on @grid_0 : tensor<8x2xf32> -> tensor<16x2xf32>
  %4 = shard.gather %a on @grid grid_axes = [0] gather_axis = 0 root = [1] : (tensor<8x2xf32>) -> tensor<16x2xf32>
  // CHECK: collective.scatter %{{.*}} along 0 from 2 on @grid_1 : tensor<8x2xf32> -> tensor<2x2xf32>
  %5 = shard.scatter %a on @grid grid_axes = [1] scatter_axis = 0 root = [2] : (tensor<8x2xf32>) -> tensor<2x2xf32>
  // A group of one process for each.
  // CHECK: collective.all_reduce sum %{{.*}} on @grid_ : tensor<8x2xf32>
  %6 = shard.all_reduce %a on @grid : tensor<8x2xf32> -> tensor<8x2xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8x4xf32>, tensor<2x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<16x2xf32>, tensor<2x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @messages
// CHECK-SAME: tensor<8xf32>, %[[INDEX:.*]]: index
func.func @messages(%a: tensor<8xf32>, %index: index) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[PEER:.*]] = arith.addi %{{.*}}, %[[INDEX]]
  // CHECK: collective.send %{{.*}} to %[[PEER]] tag 0 on @world : tensor<8xf32>
  %0 = shard.send %a on @grid grid_axes = [0, 1] destination = [1, %index] : (tensor<8xf32>, index) -> tensor<8xf32>
  // CHECK: collective.recv from %{{.*}} tag 0 on @grid_1 : tensor<8xf32>
  %1 = shard.recv %a on @grid grid_axes = [1] source = [2] : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @shifts
func.func @shifts(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK: arith.constant dense<{{\[\[}}0, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 3], [3, 0, 0, 0]]>
  // CHECK: collective.all_to_all_vc %{{.*}} into %{{.*}} counts(%{{.*}}) on @grid_1
  %0 = shard.shift %a on @grid grid_axes = [0, 1] shift_axis = 1 offset = 1 rotate : tensor<3xf32> -> tensor<3xf32>
  // CHECK: arith.constant dense<{{\[\[}}0, 0], [3, 0]]>
  // CHECK: arith.constant dense<0.000000e+00> : tensor<3xf32>
  // CHECK: collective.all_to_all_vc %{{.*}} into %{{.*}} counts(%{{.*}}) on @grid_0
  %1 = shard.shift %a on @grid grid_axes = [0] shift_axis = 0 offset = -1 : tensor<3xf32> -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @questions
func.func @questions() -> (index, index, index, index, index, index, index) {
  // CHECK: %c4{{.*}} = arith.constant 4 : index
  %0 = shard.grid_shape @grid axes = [1] : index
  %1:2 = shard.grid_shape @grid : index, index
  // CHECK: %[[R:.*]] = collective.rank on @world
  // CHECK: %[[Q:.*]] = arith.divui %[[R]], %c4
  // CHECK: arith.remui %[[Q]], %c2
  %2:2 = shard.process_multi_index on @grid : index, index
  // CHECK: collective.rank on @world
  %3 = shard.process_linear_index on @grid : index
  // CHECK: arith.select
  // CHECK: arith.select
  %4:2 = shard.neighbors_linear_indices on @grid[%2#0, %2#1] split_axes = [1] : index, index
  return %0, %1#0, %2#0, %2#1, %3, %4#0, %4#1 : index, index, index, index, index, index, index
}
