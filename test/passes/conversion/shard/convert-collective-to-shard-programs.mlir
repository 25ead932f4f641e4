// Which grid a program gets, and what stays as it is.
// RUN: dist-opt %s --split-input-file --convert-collective-to-shard | FileCheck %s

// Without groups that lie in parts, the grid is a line.
// CHECK-LABEL: module @line
module @line {
  // CHECK: shard.grid @grid(shape = 6)
  // CHECK-NOT: collective.
  collective.group @world {size = 6 : i64}
  func.func @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: shard.all_reduce %{{.*}} on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A stride makes a grid, too.
// CHECK-LABEL: module @strided
module @strided {
  // CHECK: shard.grid @grid(shape = 3x2)
  collective.group @world {size = 6 : i64}
  collective.group @columns members(#collective.strided<2>)
  func.func @sum(%a: tensor<4xf32>) -> (tensor<4xf32>, index) {
    // CHECK: shard.all_reduce %{{.*}} on @grid grid_axes = [0] reduction = min
    %0 = collective.all_reduce min %a on @columns : tensor<4xf32>
    // CHECK: arith.constant 3 : index
    %1 = collective.size on @columns : index
    return %0, %1 : tensor<4xf32>, index
  }
}

// -----

// The grid gets a name of its own.
// CHECK-LABEL: module @taken
module @taken {
  // CHECK: shard.grid @grid_0(shape = 2)
  collective.group @world {size = 2 : i64}
  func.func private @grid()
  func.func @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: shard.all_reduce %{{.*}} on @grid_0
    %0 = collective.all_reduce prod %a on @world : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A program that communicates nothing keeps its groups.
// CHECK-LABEL: module @quiet
module @quiet {
  // CHECK: collective.group @world {size = 2 : i64}
  // CHECK-NOT: shard.grid
  collective.group @world {size = 2 : i64}
  func.func @plain(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

// A group of one rank each lies along no axis.
// CHECK-LABEL: module @alone
module @alone {
  collective.group @world {size = 2 : i64}
  collective.group @self members(#collective.blocks<1>)
  func.func @sum(%a: tensor<4xf32>) -> (tensor<4xf32>, index) {
    // CHECK: shard.all_gather %{{.*}} on @grid gather_axis = 0 : tensor<4xf32> -> tensor<4xf32>
    %0 = collective.all_gather %a along 0 on @self : tensor<4xf32> -> tensor<4xf32>
    // CHECK: arith.constant 0 : index
    %1 = collective.rank on @self : index
    return %0, %1 : tensor<4xf32>, index
  }
}

// -----

// Results that are used several times, and order, are kept.
// CHECK-LABEL: module @uses
module @uses {
  collective.group @world {size = 2 : i64}
  func.func @twice(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // CHECK: %[[ONE:.*]] = shard.all_reduce %{{.*}} on @grid grid_axes = [0]
    // CHECK: %[[TWO:.*]] = shard.broadcast %[[ONE]] on @grid grid_axes = [0] root = [1]
    // CHECK: arith.addf %[[ONE]], %[[TWO]]
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    %1 = collective.broadcast %0 from 1 on @world : tensor<4xf32>
    %2 = arith.addf %0, %1 : tensor<4xf32>
    return %2, %0 : tensor<4xf32>, tensor<4xf32>
  }
}
