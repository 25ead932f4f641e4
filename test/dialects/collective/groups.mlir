// Groups in every form, and the operations on them, parse, print and parse again.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s

// CHECK: collective.group @world {size = 8 : i64}
collective.group @world {size = 8 : i64}
// CHECK: collective.group @pairs members(#collective.ranks<{{\[\[}}0, 1], [3, 2]]>)
collective.group @pairs members(#collective.ranks<[[0, 1], [3, 2]]>)
// CHECK: collective.group @rows members(#collective.blocks<4>)
collective.group @rows members(#collective.blocks<4>)
// CHECK: collective.group @columns members(#collective.strided<4>)
collective.group @columns members(#collective.strided<4>)
// CHECK: collective.group @node members(#collective.per_node) {size = 4 : i64}
collective.group @node members(#collective.per_node) {size = 4 : i64}
// CHECK: collective.group @cross members(#collective.across_nodes)
collective.group @cross members(#collective.across_nodes)
// CHECK: collective.group @later members(#collective.at_run_time)
collective.group @later members(#collective.at_run_time)

// CHECK-LABEL: func.func @made_and_ended
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index)
func.func @made_and_ended(%a: index, %b: index) {
  // CHECK: collective.create_group @later of %[[A]], %[[B]] : index, index
  collective.create_group @later of %a, %b : index, index
  // CHECK: collective.barrier on @later
  collective.barrier on @later
  // CHECK: collective.destroy_group @later
  collective.destroy_group @later
  return
}

// CHECK-LABEL: func.func @questions
func.func @questions() -> (index, index, index, index, index) {
  // CHECK: %[[RANK:.*]] = collective.rank on @pairs : index
  %rank = collective.rank on @pairs : index
  // CHECK: collective.size on @pairs : index
  %size = collective.size on @pairs : index
  // CHECK: %{{.*}} = collective.local_rank : index
  %local_rank = collective.local_rank : index
  // CHECK: %{{.*}} = collective.local_size : index
  %local_size = collective.local_size : index
  // CHECK: collective.translate_rank %[[RANK]] from @pairs to @world : index
  %there = collective.translate_rank %rank from @pairs to @world : index
  return %rank, %size, %local_rank, %local_size, %there : index, index, index, index, index
}

// A rank of a set sees the shapes of its set, not of the world.
// CHECK-LABEL: func.func @shapes_of_a_set
func.func @shapes_of_a_set(%a: tensor<2xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: collective.all_gather %{{.*}} along 0 on @node : tensor<2xf32> -> tensor<8xf32>
  %0 = collective.all_gather %a along 0 on @node : tensor<2xf32> -> tensor<8xf32>
  // CHECK: collective.all_gather %{{.*}} along 0 on @columns : tensor<2xf32> -> tensor<4xf32>
  %1 = collective.all_gather %a along 0 on @columns : tensor<2xf32> -> tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}
