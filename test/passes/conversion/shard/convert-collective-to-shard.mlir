// Collectives on groups that lie along the axes of a grid, in the shard dialect, and back.
// RUN: dist-opt %s --convert-collective-to-shard | FileCheck %s
// RUN: dist-opt %s --convert-collective-to-shard --convert-shard-to-collective --canonicalize | FileCheck %s --check-prefix=BACK
// RUN: dist-opt %s --convert-collective-to-shard="shape=2,2,2" | FileCheck %s --check-prefix=CUBE

// CHECK: shard.grid @grid(shape = 2x4)
// CHECK-NOT: collective.
// CUBE: shard.grid @grid(shape = 2x2x2)
collective.group @world {size = 8 : i64}
collective.group @rows members(#collective.blocks<4>)
collective.group @columns members(#collective.strided<4>)

// CHECK-LABEL: func.func @collectives
// CUBE-LABEL: func.func @collectives
// BACK-LABEL: func.func @collectives
func.func @collectives(%a: tensor<8x2xf32>, %b: tensor<8xi32>) -> (tensor<8x2xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<2x2xf32>, tensor<16x2xf32>, tensor<8x2xf32>, tensor<32x2xf32>, tensor<4x2xf32>, tensor<2x8xf32>) {
  // A bucket becomes one operation for each input.
  // CHECK: shard.all_reduce %{{.*}} on @grid grid_axes = [0, 1] reduction = max : tensor<8x2xf32> -> tensor<8x2xf32>
  // CHECK: shard.all_reduce %{{.*}} on @grid grid_axes = [0, 1] reduction = max : tensor<8xi32> -> tensor<8xi32>
  // BACK: collective.all_reduce max %{{.*}} on @world : tensor<8x2xf32>
  // BACK: collective.all_reduce max %{{.*}} on @world : tensor<8xi32>
  %0:2 = collective.all_reduce max %a, %b on @world : tensor<8x2xf32>, tensor<8xi32>
  // CHECK: shard.reduce %{{.*}} on @grid grid_axes = [1] reduction = average root = [3]
  // CUBE: shard.reduce %{{.*}} on @grid grid_axes = [1, 2] reduction = average root = [1, 1]
  // BACK: collective.reduce mean %{{.*}} to 3 on @grid_1
  %1 = collective.reduce mean %a to 3 on @rows : tensor<8x2xf32>
  // CHECK: shard.reduce_scatter %{{.*}} on @grid grid_axes = [1] scatter_axis = 0
  // BACK: collective.reduce_scatter sum %{{.*}} along 0 on @grid_1
  %2 = collective.reduce_scatter sum %a along 0 on @rows : tensor<8x2xf32> -> tensor<2x2xf32>
  // CHECK: shard.all_gather %{{.*}} on @grid grid_axes = [0] gather_axis = 0
  // BACK: collective.all_gather %{{.*}} along 0 on @grid_0
  %3 = collective.all_gather %a along 0 on @columns : tensor<8x2xf32> -> tensor<16x2xf32>
  // CHECK: shard.broadcast %{{.*}} on @grid grid_axes = [0, 1] root = [1, 2]
  // BACK: collective.broadcast %{{.*}} from 6 on @world
  %4 = collective.broadcast %a from 6 on @world : tensor<8x2xf32>
  // CHECK: shard.gather %{{.*}} on @grid grid_axes = [1] gather_axis = 0 root = [2]
  // BACK: collective.gather %{{.*}} along 0 to 2 on @grid_1
  %5 = collective.gather %a along 0 to 2 on @rows : tensor<8x2xf32> -> tensor<32x2xf32>
  // CHECK: shard.scatter %{{.*}} on @grid grid_axes = [0] scatter_axis = 0 root = [1]
  // BACK: collective.scatter %{{.*}} along 0 from 1 on @grid_0
  %6 = collective.scatter %a along 0 from 1 on @columns : tensor<8x2xf32> -> tensor<4x2xf32>
  // CHECK: shard.all_to_all %{{.*}} on @grid grid_axes = [1] split_axis = 0 concat_axis = 1
  // BACK: collective.all_to_all %{{.*}} split 0 concat 1 on @grid_1
  %7 = collective.all_to_all %a split 0 concat 1 on @rows : tensor<8x2xf32> -> tensor<2x8xf32>
  return %0#0, %0#1, %1, %2, %3, %4, %5, %6, %7 : tensor<8x2xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<2x2xf32>, tensor<16x2xf32>, tensor<8x2xf32>, tensor<32x2xf32>, tensor<4x2xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: func.func @questions_and_messages
func.func @questions_and_messages(%a: tensor<8xf32>, %peer: index) -> (index, index, index, tensor<8xf32>) {
  // CHECK: %[[I:.*]]:2 = shard.process_multi_index on @grid axes = [0, 1]
  // CHECK: arith.muli %[[I]]#0, %c4
  %rank = collective.rank on @world : index
  // CHECK: shard.process_multi_index on @grid axes = [1]
  %row = collective.rank on @rows : index
  // CHECK: arith.constant 2 : index
  %size = collective.size on @columns : index
  // CHECK: shard.send %{{.*}} on @grid grid_axes = [0] destination = [%{{.*}}] : (tensor<8xf32>, index) -> tensor<8xf32>
  collective.send %a to %peer tag 0 on @columns : tensor<8xf32>
  // CHECK: shard.recv %{{.*}} on @grid grid_axes = [0] source = [%{{.*}}] : (tensor<8xf32>, index) -> tensor<8xf32>
  %0 = collective.recv from %peer tag 0 on @columns : tensor<8xf32>
  return %rank, %row, %size, %0 : index, index, index, tensor<8xf32>
}
