// What stock passes may do to communication, and what not: nothing moves past a change of groups, into a branch or out of a
// loop; what ranks may reach at different places is neither dropped nor merged.
// RUN: dist-opt %s --cse --loop-invariant-code-motion --control-flow-sink | FileCheck %s
// RUN: dist-opt %s --control-flow-sink --canonicalize --cse --sccp --inline --loop-invariant-code-motion --remove-dead-values --symbol-dce --topological-sort --mem2reg --loop-invariant-subset-hoisting | FileCheck %s

collective.group @world
collective.group @pairs members(#collective.blocks<2>)
collective.group @later members(#collective.at_run_time)

// The same name means other ranks before and after.
// CHECK-LABEL: func.func @groups_made_again
func.func @groups_made_again(%a: tensor<4xf32>, %r: index, %q: index) -> (tensor<4xf32>, tensor<4xf32>, index, index, index, index) {
  // CHECK-NEXT: collective.create_group
  collective.create_group @later of %r : index
  // CHECK-NEXT: %[[S:.*]] = collective.all_reduce
  %0 = collective.all_reduce sum %a on @later : tensor<4xf32>
  // CHECK-NEXT: %[[RANK:.*]] = collective.rank on @later
  %rank0 = collective.rank on @later : index
  // CHECK-NEXT: %[[THERE:.*]] = collective.translate_rank %{{.*}} from @world to @later
  %there0 = collective.translate_rank %r from @world to @later : index
  // CHECK-NEXT: collective.destroy_group
  collective.destroy_group @later
  // CHECK-NEXT: collective.create_group
  collective.create_group @later of %q : index
  // CHECK-NEXT: %[[T:.*]] = collective.all_reduce
  %1 = collective.all_reduce sum %a on @later : tensor<4xf32>
  // CHECK-NEXT: %[[RANK1:.*]] = collective.rank on @later
  %rank1 = collective.rank on @later : index
  // CHECK-NEXT: %[[THERE1:.*]] = collective.translate_rank %{{.*}} from @world to @later
  %there1 = collective.translate_rank %r from @world to @later : index
  // CHECK-NEXT: collective.destroy_group
  collective.destroy_group @later
  // CHECK-NEXT: return %[[S]], %[[T]], %[[RANK]], %[[RANK1]], %[[THERE]], %[[THERE1]]
  return %0, %1, %rank0, %rank1, %there0, %there1 : tensor<4xf32>, tensor<4xf32>, index, index, index, index
}

// With nothing in between, one question is enough.
// CHECK-LABEL: func.func @asked_twice
func.func @asked_twice() -> (index, index, index, index) {
  // CHECK-DAG: %[[RANK:.*]] = collective.rank on @world
  // CHECK-DAG: %[[SIZE:.*]] = collective.size on @world
  %rank0 = collective.rank on @world : index
  %size0 = collective.size on @world : index
  // CHECK: return %[[RANK]], %[[RANK]], %[[SIZE]], %[[SIZE]]
  %rank1 = collective.rank on @world : index
  %size1 = collective.size on @world : index
  return %rank0, %rank1, %size0, %size1 : index, index, index, index
}

// Only one branch uses the sum, but all ranks must add to it.
// CHECK-LABEL: func.func @nothing_sinks_into_a_branch
func.func @nothing_sinks_into_a_branch(%a: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  // CHECK: %[[SUM:.*]] = collective.all_reduce sum
  %sum = collective.all_reduce sum %a on @world : tensor<4xf32>
  // CHECK: %[[FUTURE:.*]] = collective.async
  %future = collective.async {
    %0 = collective.all_reduce max %a on @world : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK: %[[MAX:.*]] = collective.await %[[FUTURE]]
  %max = collective.await %future : !collective.future<tensor<4xf32>>
  // CHECK: scf.if
  %r = scf.if %is_first -> tensor<4xf32> {
    // CHECK-NEXT: arith.addf %[[SUM]], %[[MAX]]
    %1 = arith.addf %sum, %max : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The answers are other ones in each iteration.
// CHECK-LABEL: func.func @groups_made_in_a_loop
func.func @groups_made_in_a_loop(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    // CHECK-NEXT: collective.create_group
    collective.create_group @later of %i : index
    // CHECK-NEXT: collective.rank on @later
    %rank = collective.rank on @later : index
    // CHECK-NEXT: collective.size on @later
    %size = collective.size on @later : index
    // CHECK-NEXT: collective.destroy_group
    collective.destroy_group @later
    %0 = arith.addi %rank, %size : index
    %1 = arith.addi %sum, %0 : index
    scf.yield %1 : index
  }
  // CHECK: return
  return %total : index
}

// On a part of the world another rank may come to its side elsewhere, and use it.
// CHECK-LABEL: func.func @sides_of_parts_stay
func.func @sides_of_parts_stay(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @pairs : index
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  // CHECK: scf.if
  %r = scf.if %is_first -> tensor<4xf32> {
    // CHECK-NEXT: collective.all_reduce sum
    %unused = collective.all_reduce sum %a on @pairs : tensor<4xf32>
    // CHECK-NEXT: %[[ONE:.*]] = collective.all_reduce max
    %one = collective.all_reduce max %a on @pairs : tensor<4xf32>
    // CHECK-NEXT: %[[OTHER:.*]] = collective.all_reduce max
    %other = collective.all_reduce max %a on @pairs : tensor<4xf32>
    // CHECK-NEXT: arith.addf %[[ONE]], %[[OTHER]]
    %2 = arith.addf %one, %other : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    // CHECK: collective.all_reduce sum
    %sum = collective.all_reduce sum %b on @pairs : tensor<4xf32>
    // CHECK-NEXT: collective.all_reduce max
    %one = collective.all_reduce max %sum on @pairs : tensor<4xf32>
    // CHECK-NEXT: collective.all_reduce max
    %other = collective.all_reduce max %one on @pairs : tensor<4xf32>
    scf.yield %other : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Every rank comes to what the whole world does: what nobody uses goes, equal ones are one.
// CHECK-LABEL: func.func @the_world_may_do_less
func.func @the_world_may_do_less(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = collective.all_reduce max
  %unused = collective.all_reduce sum %a on @world : tensor<4xf32>
  %one = collective.all_reduce max %a on @world : tensor<4xf32>
  %other = collective.all_reduce max %a on @world : tensor<4xf32>
  // CHECK-NEXT: return %[[R]], %[[R]]
  return %one, %other : tensor<4xf32>, tensor<4xf32>
}

// A gather for the forward pass, and one for the backward pass, so that the value need not be kept in between.
// CHECK-LABEL: func.func @gathered_again
func.func @gathered_again(%a: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK-NEXT: %[[ONE:.*]] = collective.all_gather
  %one = collective.all_gather %a along 0 on @world : tensor<4xf32> -> tensor<?xf32>
  // CHECK-NEXT: %[[OTHER:.*]] = collective.all_gather {{.*}} {collective.distinct}
  %other = collective.all_gather %a along 0 on @world {collective.distinct} : tensor<4xf32> -> tensor<?xf32>
  // CHECK-NEXT: return %[[ONE]], %[[OTHER]]
  return %one, %other : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @equal_and_distinct
func.func @equal_and_distinct(%a: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK-COUNT-2: collective.all_gather
  %one = collective.all_gather %a along 0 on @world {collective.distinct} : tensor<4xf32> -> tensor<?xf32>
  %other = collective.all_gather %a along 0 on @world {collective.distinct} : tensor<4xf32> -> tensor<?xf32>
  return %one, %other : tensor<?xf32>, tensor<?xf32>
}

// What is started is awaited, though nobody reads the values.
// CHECK-LABEL: func.func @parts_beside_the_program
func.func @parts_beside_the_program(%a: tensor<4xf32>) {
  // CHECK-NEXT: %[[FUTURE:.*]] = collective.async
  %future = collective.async {
    %0 = collective.all_reduce max %a on @pairs : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK: collective.await %[[FUTURE]]
  %max = collective.await %future : !collective.future<tensor<4xf32>>
  return
}
