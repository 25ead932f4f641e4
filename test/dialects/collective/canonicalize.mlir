// What is left of collectives when the size of the group is known, and which rewrites are not made.
// RUN: dist-opt %s --canonicalize --split-input-file | FileCheck %s

collective.group @one {size = 1 : i64}

// CHECK-LABEL: func.func @one_rank_needs_no_communication
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<2xf32>)
func.func @one_rank_needs_no_communication(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) {
  // CHECK-NOT: collective
  %0:2 = collective.all_reduce mean %a, %b on @one : tensor<4xf32>, tensor<2xf32>
  %1 = collective.broadcast %0#0 from 0 on @one : tensor<4xf32>
  %2 = collective.all_gather %1 along 0 on @one : tensor<4xf32>
  collective.barrier on @one
  // CHECK: return %[[A]], %[[B]], %[[A]]
  return %1, %0#1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @one_rank_keeps_the_result_type
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
func.func @one_rank_keeps_the_result_type(%a: tensor<4xf32>) -> tensor<?xf32> {
  // CHECK: %[[C:.*]] = tensor.cast %[[A]] : tensor<4xf32> to tensor<?xf32>
  %0 = collective.reduce_scatter sum %a along 0 on @one : tensor<4xf32> -> tensor<?xf32>
  // CHECK: return %[[C]]
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @one_rank_copies_between_buffers
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>)
func.func @one_rank_copies_between_buffers(%a: memref<4xf32>, %b: memref<4xf32>) {
  // CHECK-NEXT: memref.copy %[[A]], %[[B]]
  collective.all_reduce sum %a, %a into %b, %a on @one : memref<4xf32>, memref<4xf32>
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: func.func @one_rank_is_rank_zero
func.func @one_rank_is_rank_zero() -> (index, index) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  %rank = collective.rank on @one : index
  %size = collective.size on @one : index
  // CHECK: return %[[ZERO]], %[[ONE]]
  return %rank, %size : index, index
}

// -----

collective.group @four {size = 4 : i64}

// CHECK-LABEL: func.func @a_known_size_is_a_constant
func.func @a_known_size_is_a_constant() -> (index, index) {
  // CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
  %size = collective.size on @four : index
  // CHECK-DAG: %[[RANK:.*]] = collective.rank
  %rank = collective.rank on @four : index
  // CHECK: return %[[FOUR]], %[[RANK]]
  return %size, %rank : index, index
}

// CHECK-LABEL: func.func @four_ranks_communicate
func.func @four_ranks_communicate(%a: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  // CHECK: collective.all_reduce mean
  %0 = collective.all_reduce mean %a on @four : tensor<4xf32>
  // CHECK: collective.all_reduce sum
  collective.all_reduce sum %m into %m on @four : memref<4xf32>
  // CHECK: collective.barrier
  collective.barrier on @four
  return %0 : tensor<4xf32>
}

// -----

collective.group @world

// CHECK-LABEL: func.func @an_unknown_size_folds_nothing
func.func @an_unknown_size_folds_nothing(%a: tensor<4xf32>) -> (tensor<4xf32>, index) {
  // CHECK: collective.broadcast
  %0 = collective.broadcast %a from 0 on @world : tensor<4xf32>
  // CHECK: collective.size
  %size = collective.size on @world : index
  return %0, %size : tensor<4xf32>, index
}

// On tensors there is no effect: what nobody uses is not communicated.
// CHECK-LABEL: func.func @unused_results_are_not_communicated
func.func @unused_results_are_not_communicated(%a: tensor<4xf32>) {
  // CHECK-NEXT: return
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
collective.group @pairs members(#collective.blocks<2>)

// What nobody uses is not started, if all ranks come here; nothing is left of either half.
// CHECK-LABEL: func.func @unused_future
// CHECK-NEXT: return
func.func @unused_future(%a: tensor<4xf32>) {
  %future = collective.async {
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %1 = collective.await %future : !collective.future<tensor<4xf32>>
  return
}

// CHECK-LABEL: func.func @unused_future_of_a_part
// CHECK-NEXT: collective.async
// CHECK: collective.await
func.func @unused_future_of_a_part(%a: tensor<4xf32>) {
  %future = collective.async {
    %0 = collective.all_reduce sum %a on @pairs : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %1 = collective.await %future : !collective.future<tensor<4xf32>>
  return
}

// All ranks of the world know that nothing is sent; on a part of it some may come elsewhere, and compute their zeros.
// CHECK-LABEL: func.func @nothing_is_sent
func.func @nothing_is_sent(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: on @world
  // CHECK: %[[R:.*]] = collective.all_to_all_vc
  // CHECK: return %arg1, %[[R]]
  %none = arith.constant dense<0> : tensor<2x2xi64>
  %0 = collective.all_to_all_vc %a into %b counts(%none) on @world : tensor<4xf32>, tensor<4xf32>, tensor<2x2xi64>
  %1 = collective.all_to_all_vc %a into %b counts(%none) on @pairs : tensor<4xf32>, tensor<4xf32>, tensor<2x2xi64>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
