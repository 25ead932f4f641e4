// What collectives on sets of ranks give is equal on all ranks of the world only where all sets compute the same of equal
// operands; what messages bring never is.
// RUN: dist-opt %s --distribute-print-uniformity -o /dev/null | FileCheck %s

collective.group @world {size = 4 : i64}
collective.group @all members(#collective.ranks<[[3, 1, 2, 0]]>)
collective.group @pairs members(#collective.blocks<2>)
collective.group @uneven members(#collective.ranks<[[0], [1, 2, 3]]>)
collective.group @some members(#collective.ranks<[[0, 1]]>)
collective.group @node members(#collective.per_node)
collective.group @across members(#collective.across_nodes)
collective.group @node_of_two members(#collective.per_node) {size = 2 : i64}
collective.group @columns members(#collective.strided<2>)
collective.group @listed_columns members(#collective.ranks<[[0, 2], [1, 3]]>)
collective.group @crossed members(#collective.ranks<[[0, 3], [1, 2]]>)
collective.group @later members(#collective.at_run_time) {size = 2 : i64}

#u = #train.variable<"u", other>

// One set of all ranks is the world, in whatever order.
// CHECK-LABEL: @one_set
func.func @one_set(%v: tensor<4xf32>, %r: index) {
  // CHECK: uniform %0 = collective.all_reduce
  %0 = collective.all_reduce sum %v on @all : tensor<4xf32>
  // CHECK: uniform %1 = collective.all_gather
  %1 = collective.all_gather %v along 0 on @all : tensor<4xf32> -> tensor<16xf32>
  // CHECK: uniform %2 = collective.broadcast
  %2 = collective.broadcast %v from 3 on @all : tensor<4xf32>
  // CHECK: uniform %size = collective.size
  %3 = collective.size on @all : index
  // CHECK: varying %rank = collective.rank
  %4 = collective.rank on @all : index
  return
}

// CHECK-LABEL: @equal_operands
func.func @equal_operands(%u: tensor<4xf32> {train.variable = #u}, %c: index {train.variable = #u}) {
  // CHECK: uniform %0 = collective.all_reduce sum {{.*}} @pairs
  %0 = collective.all_reduce sum %u on @pairs : tensor<4xf32>
  // CHECK: uniform %1 = collective.all_gather {{.*}} @pairs
  %1 = collective.all_gather %u along 0 on @pairs : tensor<4xf32> -> tensor<8xf32>
  // CHECK: uniform %size = collective.size on @pairs
  %2 = collective.size on @pairs : index
  // Three times a number is another than once, and the mean may round; the largest is that number.
  // CHECK: varying %2 = collective.all_reduce sum {{.*}} @uneven
  %3 = collective.all_reduce sum %u on @uneven : tensor<4xf32>
  // CHECK: varying %3 = collective.all_reduce mean {{.*}} @uneven
  %4 = collective.all_reduce mean %u on @uneven : tensor<4xf32>
  // CHECK: uniform %4 = collective.all_reduce max {{.*}} @uneven
  %5 = collective.all_reduce max %u on @uneven : tensor<4xf32>
  // CHECK: uniform %5 = collective.broadcast {{.*}} @uneven
  %6 = collective.broadcast %u from 0 on @uneven : tensor<4xf32>
  // CHECK: varying {{.*}} = collective.size on @uneven
  %7 = collective.size on @uneven : index
  // Ranks outside keep what they have, or get zeros.
  // CHECK: varying %6 = collective.all_reduce sum {{.*}} @some
  %8 = collective.all_reduce sum %u on @some : tensor<4xf32>
  // CHECK: uniform %7 = collective.all_reduce min {{.*}} @some
  %9 = collective.all_reduce min %u on @some : tensor<4xf32>
  // CHECK: varying %8 = collective.all_gather {{.*}} @some
  %10 = collective.all_gather %u along 0 on @some : tensor<4xf32> -> tensor<8xf32>
  // Nodes may have different numbers of ranks; a group that is made later may leave some out.
  // CHECK: varying %9 = collective.all_reduce sum {{.*}} @node
  %11 = collective.all_reduce sum %u on @node : tensor<4xf32>
  // CHECK: varying %10 = collective.all_reduce sum {{.*}} @later
  %12 = collective.all_reduce sum %u on @later : tensor<4xf32>
  // CHECK: varying %11 = collective.reduce sum {{.*}} @world
  %13 = collective.reduce sum %u to 0 on @world : tensor<4xf32>
  // CHECK: uniform %12 = collective.reduce max {{.*}} @world
  %14 = collective.reduce max %u to 0 on @world : tensor<4xf32>
  // CHECK: uniform {{.*}} = collective.translate_rank {{.*}} from @world to @all
  %15 = collective.translate_rank %c from @world to @all : index
  // CHECK: varying {{.*}} = collective.translate_rank {{.*}} from @world to @pairs
  %16 = collective.translate_rank %c from @world to @pairs : index
  return
}

// CHECK-LABEL: @other_operands
func.func @other_operands(%u: tensor<4xf32> {train.variable = #u}, %v: tensor<4xf32>) {
  // Each result follows its own input.
  // CHECK: uniform varying %0:2 = collective.all_reduce
  %0:2 = collective.all_reduce sum %u, %v on @pairs : tensor<4xf32>, tensor<4xf32>
  // CHECK: varying %1 = collective.broadcast
  %1 = collective.broadcast %v from 0 on @pairs : tensor<4xf32>
  return
}

// CHECK-LABEL: @always_varying
func.func @always_varying(%u: tensor<4xf32> {train.variable = #u}, %c: tensor<4xi64> {train.variable = #u}, %p: index) {
  // CHECK: varying %0 = collective.gather
  %0 = collective.gather %u along 0 to 0 on @world : tensor<4xf32> -> tensor<16xf32>
  // CHECK: varying %1 = collective.scatter
  %1 = collective.scatter %u along 0 from 0 on @world : tensor<4xf32> -> tensor<1xf32>
  // CHECK: varying %2 = collective.all_to_all
  %2 = collective.all_to_all %u split 0 concat 0 on @world : tensor<4xf32>
  // CHECK: varying %3 = collective.all_to_all_v
  %3 = collective.all_to_all_v %u into %u send(%c, %c) receive(%c, %c) on @world : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
  // CHECK: varying %4 = collective.recv
  %4 = collective.recv from %p tag 0 on @world : tensor<4xf32>
  // CHECK: varying %local_rank
  %5 = collective.local_rank : index
  // CHECK: varying %local_size
  %6 = collective.local_size : index
  return
}

// What is awaited is what was started.
// CHECK-LABEL: @futures
func.func @futures(%v: tensor<4xf32>) {
  %f = collective.async {
    // CHECK: uniform {{.*}} = collective.all_reduce
    %r = collective.all_reduce sum %v on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %g = collective.async {
    %r = collective.all_reduce sum %v on @pairs : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK: uniform %{{.*}} = collective.await
  %0 = collective.await %f : !collective.future<tensor<4xf32>>
  // CHECK: varying %{{.*}} = collective.await
  %1 = collective.await %g : !collective.future<tensor<4xf32>>
  return
}

// Ranks of one number in their rows agree along their column: what the rows make of that is equal everywhere.
// CHECK-LABEL: @rows_then_columns
func.func @rows_then_columns(%v: tensor<4xf32>) {
  // CHECK: varying {{.*}} = collective.reduce_scatter
  %p = collective.reduce_scatter sum %v along 0 on @pairs : tensor<4xf32> -> tensor<2xf32>
  // CHECK: varying {{.*}} = collective.all_reduce
  %s = collective.all_reduce sum %p on @columns : tensor<2xf32>
  // CHECK: uniform {{.*}} = collective.all_gather
  %g = collective.all_gather %s along 0 on @pairs : tensor<2xf32> -> tensor<4xf32>
  // CHECK: uniform {{.*}} = collective.broadcast
  %b = collective.broadcast %s from 1 on @pairs : tensor<2xf32>
  // CHECK: varying {{.*}} = collective.all_gather
  %w = collective.all_gather %p along 0 on @pairs : tensor<2xf32> -> tensor<4xf32>
  // The other way round, and listed.
  // CHECK: varying {{.*}} = collective.all_reduce
  %r = collective.all_reduce mean %v on @pairs : tensor<4xf32>
  // CHECK: uniform {{.*}} = collective.all_reduce
  %c = collective.all_reduce mean %r on @listed_columns : tensor<4xf32>
  // Rank 2 is not where rank 0 is, and rank 3 is.
  // CHECK: varying {{.*}} = collective.all_reduce
  %x = collective.all_reduce sum %v on @crossed : tensor<4xf32>
  // CHECK: varying {{.*}} = collective.all_reduce
  %y = collective.all_reduce sum %x on @pairs : tensor<4xf32>
  return
}

// Through what a rank computes of it alone, and through futures.
// CHECK-LABEL: @rows_then_columns_later
func.func @rows_then_columns_later(%v: tensor<3xf32>) {
  // CHECK: varying {{.*}} = collective.flatten
  %f = collective.flatten %v : tensor<3xf32> -> tensor<4xf32>
  %a = collective.async {
    %p = collective.reduce_scatter sum %f along 0 on @pairs : tensor<4xf32> -> tensor<2xf32>
    %s = collective.all_reduce sum %p on @columns : tensor<2xf32>
    collective.yield %s : tensor<2xf32>
  } : !collective.future<tensor<2xf32>>
  // CHECK: varying {{.*}} = collective.await
  %s = collective.await %a : !collective.future<tensor<2xf32>>
  %n = arith.truncf %s : tensor<2xf32> to tensor<2xf16>
  // CHECK: uniform {{.*}} = collective.all_gather
  %g = collective.all_gather %n along 0 on @pairs : tensor<2xf16> -> tensor<4xf16>
  // What comes of two values may be of two minds.
  %m = arith.addf %s, %s : tensor<2xf32>
  // CHECK: varying {{.*}} = collective.all_gather
  %h = collective.all_gather %m along 0 on @pairs : tensor<2xf32> -> tensor<4xf32>
  return
}

// Nodes make rows and columns where they are equally large.
// CHECK-LABEL: @nodes
func.func @nodes(%v: tensor<4xf32>) {
  %s = collective.all_reduce sum %v on @across : tensor<4xf32>
  // CHECK: uniform {{.*}} = collective.all_reduce {{.*}} @node_of_two
  %t = collective.all_reduce sum %s on @node_of_two : tensor<4xf32>
  // CHECK: varying {{.*}} = collective.all_reduce {{.*}} @node :
  %u = collective.all_reduce sum %s on @node : tensor<4xf32>
  return
}
