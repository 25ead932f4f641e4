// Only the world gets the number of ranks; sets of ranks follow from it. A program that names sets alone gets a world.
// RUN: dist-opt %s --specialize-world="ranks=4" --split-input-file | FileCheck %s

// CHECK: collective.group @world {size = 4 : i64}
// CHECK: collective.group @columns members(#collective.strided<2>){{$}}
// CHECK: collective.group @node members(#collective.per_node){{$}}
module attributes {train.program} {
  collective.group @columns members(#collective.strided<2>)
  collective.group @node members(#collective.per_node)
  func.func @initialize() {
    return
  }
  // CHECK-LABEL: func.func @step
  func.func @step() -> (index {train.output = "columns"}, index {train.output = "node"}) {
    // CHECK: %[[TWO:.*]] = arith.constant 2 : index
    %columns = collective.size on @columns : index
    // CHECK: %[[NODE:.*]] = collective.size on @node
    %node = collective.size on @node : index
    // CHECK: return %[[TWO]], %[[NODE]]
    return %columns, %node : index, index
  }
}

// -----

// CHECK: collective.group @pairs members(#collective.blocks<2>)
// CHECK: collective.group @everyone {size = 4 : i64}
// CHECK-NOT: collective.group @world
module attributes {train.program} {
  collective.group @pairs members(#collective.blocks<2>)
  collective.group @everyone
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32> {train.output = "sum"}) {
    // CHECK: collective.all_reduce sum %{{.*}} on @pairs
    %0 = collective.all_reduce sum %x on @pairs : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
