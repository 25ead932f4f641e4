// What is known of sets of ranks folds, and nothing else does.
// RUN: dist-opt %s --canonicalize --split-input-file | FileCheck %s

collective.group @world {size = 4 : i64}
collective.group @alone members(#collective.blocks<1>)
collective.group @listed members(#collective.ranks<[[0], [1]]>)
collective.group @pairs members(#collective.ranks<[[0, 1], [3, 2]]>)

// CHECK-LABEL: func.func @sets_of_one_rank
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[M:.*]]: memref<4xf32>, %[[N:.*]]: memref<4xf32>)
func.func @sets_of_one_rank(%a: tensor<4xf32>, %m: memref<4xf32>, %n: memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, index) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-NOT: collective
  %0 = collective.reduce sum %a to 0 on @alone : tensor<4xf32>
  %1 = collective.gather %a along 0 to 0 on @alone : tensor<4xf32>
  %2 = collective.scatter %a along 0 from 0 on @alone : tensor<4xf32>
  %3 = collective.all_to_all %a split 0 concat 0 on @alone : tensor<4xf32>
  %rank = collective.rank on @alone : index
  // CHECK: memref.copy %[[M]], %[[N]]
  collective.gather %m into %n along 0 to 0 on @alone : memref<4xf32>
  // CHECK-NOT: collective
  collective.barrier on @alone
  // CHECK: return %[[A]], %[[A]], %[[A]], %[[A]], %[[ZERO]]
  return %0, %1, %2, %3, %rank : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, index
}

// Ranks 2 and 3 are in no set: they get zeros, and other answers.
// CHECK-LABEL: func.func @not_every_rank_is_a_member
func.func @not_every_rank_is_a_member(%a: tensor<4xf32>) -> (tensor<4xf32>, index, index) {
  // CHECK: collective.all_gather
  %0 = collective.all_gather %a along 0 on @listed : tensor<4xf32>
  // CHECK: collective.rank
  %rank = collective.rank on @listed : index
  // CHECK: collective.size
  %size = collective.size on @listed : index
  return %0, %rank, %size : tensor<4xf32>, index, index
}

// CHECK-LABEL: func.func @sizes_of_sets
func.func @sizes_of_sets() -> index {
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  %size = collective.size on @pairs : index
  // CHECK: return %[[TWO]]
  return %size : index
}

// CHECK-LABEL: func.func @ranks_that_every_rank_translates_alike
func.func @ranks_that_every_rank_translates_alike() -> (index, index, index) {
  // CHECK-DAG: %[[MINUS_ONE:.*]] = arith.constant -1 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %none = collective.translate_rank %c9 from @world to @pairs : index
  %same = collective.translate_rank %c1 from @pairs to @pairs : index
  // On ranks 0 and 1 there is no such rank, on ranks 2 and 3 it is number 1.
  // CHECK: %[[TWO:.*]] = collective.translate_rank
  %two = collective.translate_rank %c2 from @world to @pairs : index
  // CHECK: return %[[MINUS_ONE]], %[[ONE]], %[[TWO]]
  return %none, %same, %two : index, index, index
}

// CHECK-LABEL: func.func @local_ranks_of_four
func.func @local_ranks_of_four() -> (index, index) {
  // CHECK: collective.local_rank
  %rank = collective.local_rank : index
  // CHECK: collective.local_size
  %size = collective.local_size : index
  return %rank, %size : index, index
}

// -----

collective.group @world {size = 1 : i64}
collective.group @node members(#collective.per_node)

// CHECK-LABEL: func.func @a_world_of_one_rank
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
func.func @a_world_of_one_rank(%a: tensor<4xf32>) -> (tensor<4xf32>, index, index) {
  // CHECK-NOT: collective
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  %f = collective.async {
    %r = collective.all_reduce sum %a on @node : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %0 = collective.await %f : !collective.future<tensor<4xf32>>
  %rank = collective.local_rank : index
  %size = collective.local_size : index
  // CHECK: return %[[A]], %[[ZERO]], %[[ONE]]
  return %0, %rank, %size : tensor<4xf32>, index, index
}

// What replaces a collective goes in front of the async that held it: its body communicates only.
// CHECK-LABEL: func.func @a_cast_leaves_the_async
func.func @a_cast_leaves_the_async(%a: tensor<4xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: %[[C:.*]] = tensor.cast
  %f = collective.async {
    %r = collective.all_gather %a along 0 on @node : tensor<4xf32> -> tensor<?xf32>
    collective.yield %r : tensor<?xf32>
  } : !collective.future<tensor<?xf32>>
  %0 = collective.await %f : !collective.future<tensor<?xf32>>
  // CHECK-NEXT: return %[[C]]
  return %0 : tensor<?xf32>
}

// -----

collective.group @world

// CHECK-LABEL: func.func @nothing_is_sent
// CHECK-SAME: (%[[A:.*]]: tensor<8x2xf32>, %[[I:.*]]: tensor<8x2xf32>
func.func @nothing_is_sent(%a: tensor<8x2xf32>, %i: tensor<8x2xf32>, %m: memref<8x2xf32>, %c: memref<2x2xi64>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %none = arith.constant dense<0> : tensor<2xi64>
  %some = arith.constant dense<3> : tensor<2xi64>
  %nothing = arith.constant dense<0> : tensor<2x2xi64>
  // CHECK-NOT: collective
  %0 = collective.all_to_all_v %a into %i send(%none, %some) receive(%none, %some) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi64>
  %1 = collective.all_to_all_vc %a into %i counts(%nothing) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<2x2xi64>
  // CHECK: return %[[I]], %[[I]]
  return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @something_is_received
func.func @something_is_received(%a: tensor<8x2xf32>, %i: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %none = arith.constant dense<0> : tensor<2xi64>
  %one = arith.constant dense<[0, 1]> : tensor<2xi64>
  // CHECK: collective.all_to_all_v
  %0 = collective.all_to_all_v %a into %i send(%none, %none) receive(%one, %none) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi64>
  return %0 : tensor<8x2xf32>
}

// Messages are never dropped: another rank waits for them.
// CHECK-LABEL: func.func @messages_stay
func.func @messages_stay(%a: tensor<4xf32>, %p: index) {
  // CHECK-NEXT: collective.send
  collective.send %a to %p tag 0 on @world : tensor<4xf32>
  // CHECK-NEXT: collective.recv
  %0 = collective.recv from %p tag 0 on @world : tensor<4xf32>
  // CHECK-NEXT: return
  return
}

// On tensors an async whose values nobody uses is not started.
// CHECK-LABEL: func.func @unused_futures
func.func @unused_futures(%a: tensor<4xf32>, %m: memref<4xf32>) {
  %f = collective.async {
    %r = collective.all_reduce sum %a on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK-NEXT: %[[G:.*]] = collective.async
  // CHECK-NEXT: collective.all_reduce sum %{{.*}} into
  %g = collective.async {
    collective.all_reduce sum %m into %m on @world : memref<4xf32>
  } : !collective.future
  %0 = collective.await %f : !collective.future<tensor<4xf32>>
  // CHECK: collective.await %[[G]]
  collective.await %g : !collective.future
  return
}
