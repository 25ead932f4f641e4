// Whole functions: groups are shared, grids of other shapes, types and places in a program.
// RUN: dist-opt %s --split-input-file --convert-shard-to-collective | FileCheck %s

// A group that the module has is taken, whatever its name, and the world gets its size.
// CHECK-LABEL: module @reuse
module @reuse {
  // CHECK: collective.group @everyone {size = 4 : i64}
  // CHECK-NEXT: collective.group @pairs members(#collective.blocks<2>)
  // CHECK-NOT: collective.group
  collective.group @everyone
  collective.group @pairs members(#collective.blocks<2>)
  shard.grid @grid(shape = 2x2)
  func.func @both(%a: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: collective.all_reduce sum %{{.*}} on @pairs
    %0 = shard.all_reduce %a on @grid grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    // CHECK: collective.all_reduce sum %{{.*}} on @everyone
    %1 = shard.all_reduce %0 on @grid grid_axes = [0, 1] : tensor<4xf32> -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// Two functions and two grids of one size share the world; the same sets are the same group.
// CHECK-LABEL: module @shared
module @shared {
  // CHECK: collective.group @world {size = 4 : i64}
  // CHECK-NEXT: collective.group @line_
  // CHECK-NEXT: collective.group @square_1 members(#collective.blocks<2>)
  // CHECK-NOT: collective.group
  shard.grid @line(shape = 4)
  shard.grid @square(shape = 2x2)
  // CHECK-LABEL: func.func @one
  func.func @one(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // CHECK: collective.all_reduce sum %{{.*}} on @world
    %0 = shard.all_reduce %a on @line grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    // CHECK: collective.all_reduce sum %{{.*}} on @line_
    %1 = shard.all_reduce %a on @line : tensor<4xf32> -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @two
  func.func @two(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // CHECK: collective.all_reduce sum %{{.*}} on @square_1
    %0 = shard.all_reduce %a on @square grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    // CHECK: collective.all_reduce sum %{{.*}} on @line_
    %1 = shard.all_reduce %a on @square : tensor<4xf32> -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A module without communication of shard stays as it is; a grid that nobody uses goes.
// CHECK-LABEL: module @nothing
// CHECK-NOT: collective.group
// CHECK-NOT: shard.grid
// CHECK: arith.addf
module @nothing {
  shard.grid @grid(shape = 2x2)
  func.func @plain(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.addf %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Inside loops and branches, where the grid is the same.
// CHECK-LABEL: module @nested
module @nested {
  shard.grid @grid(shape = 2)
  func.func @loop(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    // CHECK: scf.for
    // CHECK-NEXT: collective.all_reduce sum %{{.*}} on @world : tensor<4xf32>
    // CHECK-NEXT: scf.yield
    %r = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> tensor<4xf32> {
      %s = shard.all_reduce %v on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// Element types: the result's is the one that is reduced, to either side and for integers too.
// CHECK-LABEL: module @types
module @types {
  shard.grid @grid(shape = 2)
  // CHECK-LABEL: func.func @narrow
  func.func @narrow(%a: tensor<4xf32>) -> tensor<4xf16> {
    // CHECK: %[[N:.*]] = arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xf16>
    // CHECK: collective.all_reduce sum %[[N]] on @world : tensor<4xf16>
    %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf16>
    return %0 : tensor<4xf16>
  }
  // CHECK-LABEL: func.func @wide
  func.func @wide(%a: tensor<4xi8>) -> tensor<4xi32> {
    // CHECK: %[[W:.*]] = arith.extsi %{{.*}} : tensor<4xi8> to tensor<4xi32>
    // CHECK: collective.all_reduce max %[[W]] on @world : tensor<4xi32>
    %0 = shard.all_reduce %a on @grid grid_axes = [0] reduction = max : tensor<4xi8> -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  // CHECK-LABEL: func.func @cut
  func.func @cut(%a: tensor<4xi32>) -> tensor<2xi16> {
    // CHECK: %[[T:.*]] = arith.trunci %{{.*}} : tensor<4xi32> to tensor<4xi16>
    // CHECK: collective.reduce_scatter sum %[[T]] along 0 on @world : tensor<4xi16> -> tensor<2xi16>
    %0 = shard.reduce_scatter %a on @grid grid_axes = [0] scatter_axis = 0 : tensor<4xi32> -> tensor<2xi16>
    return %0 : tensor<2xi16>
  }
}

// -----

// A batch of unknown size is reduced like any other.
// CHECK-LABEL: module @dynamic
module @dynamic {
  shard.grid @grid(shape = 2)
  func.func @batch(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
    // CHECK: collective.all_reduce mean %{{.*}} on @world : tensor<?x4xf32>
    %0 = shard.all_reduce %a on @grid grid_axes = [0] reduction = average : tensor<?x4xf32> -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}

// -----

// Three axes: neither blocks nor strides, so the ranks are listed.
// CHECK-LABEL: module @cube
module @cube {
  // CHECK: collective.group @world {size = 8 : i64}
  // CHECK: collective.group @cube_1 members(#collective.ranks<{{\[\[}}0, 2], [1, 3], [4, 6], [5, 7]]>)
  // CHECK: collective.group @cube_2_0 members(#collective.ranks<{{\[\[}}0, 4, 1, 5], [2, 6, 3, 7]]>)
  shard.grid @cube(shape = 2x2x2)
  func.func @axes(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = shard.all_reduce %a on @cube grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    // The root is counted along the axes as they are written: 1 of axis 2, 0 of axis 0.
    // CHECK: collective.broadcast %{{.*}} from 2 on @cube_2_0
    %1 = shard.broadcast %0 on @cube grid_axes = [2, 0] root = [1, 0] : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Shifts by more than one, backwards, and further than the axis is long.
// CHECK-LABEL: module @shifts
module @shifts {
  shard.grid @ring(shape = 3)
  func.func @far(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    // CHECK: arith.constant dense<{{\[\[}}0, 0, 2], [2, 0, 0], [0, 2, 0]]> : tensor<3x3xi64>
    %0 = shard.shift %a on @ring grid_axes = [0] shift_axis = 0 offset = -1 rotate : tensor<2xf32> -> tensor<2xf32>
    // CHECK: arith.constant dense<{{\[\[}}0, 2, 0], [0, 0, 2], [2, 0, 0]]> : tensor<3x3xi64>
    %1 = shard.shift %a on @ring grid_axes = [0] shift_axis = 0 offset = 4 rotate : tensor<2xf32> -> tensor<2xf32>
    // Nobody is so far away: everyone gets zeros.
    // CHECK: arith.constant dense<0> : tensor<3x3xi64>
    %2 = shard.shift %a on @ring grid_axes = [0] shift_axis = 0 offset = 5 : tensor<2xf32> -> tensor<2xf32>
    return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
