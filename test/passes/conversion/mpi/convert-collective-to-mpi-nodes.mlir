// With ranks-per-node neighbouring ranks are a node: groups by node become tables, questions arithmetic.
// RUN: dist-opt %s --convert-collective-to-mpi="ranks-per-node=2" --canonicalize --cse | FileCheck %s
// RUN: not dist-opt %s --convert-collective-to-mpi="ranks-per-node=3" 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: ranks-per-node=3 does not divide the 4 ranks
// RUN: not dist-opt %s --convert-collective-to-mpi="ranks-per-node=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: ranks-per-node must be a number of ranks, or 0 where there are no groups by node

collective.group @world {size = 4 : i64}
collective.group @node members(#collective.per_node)
collective.group @cross members(#collective.across_nodes)

// CHECK-DAG: memref.global "private" constant @mpi_members_node : memref<2x2xi32> = dense<{{\[\[}}0, 1], [2, 3]]>
// CHECK-DAG: memref.global "private" constant @mpi_members_cross : memref<2x2xi32> = dense<{{\[\[}}0, 2], [1, 3]]>
// CHECK-LABEL: func.func @levels(
func.func @levels(%x: memref<8xf32>) {
  // CHECK: call @mpi_all_reduce_sum_f32_on_node(
  collective.all_reduce sum %x into %x on @node : memref<8xf32>
  // CHECK: call @mpi_all_reduce_sum_f32_on_cross(
  collective.all_reduce sum %x into %x on @cross : memref<8xf32>
  return
}

// CHECK-LABEL: func.func @questions(
func.func @questions() -> (index, index) {
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK-DAG: mpi.comm_rank
  // CHECK: %[[RANK:.*]] = arith.remui %{{.*}}, %[[TWO]] : index
  %rank = collective.local_rank : index
  %size = collective.local_size : index
  // CHECK: return %[[RANK]], %[[TWO]]
  return %rank, %size : index, index
}
