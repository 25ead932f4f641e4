// On tensors equal collectives of the whole world are one; none is executed where the program would not execute it; on memrefs every
// one is kept in order.
// RUN: dist-opt %s --cse --loop-invariant-code-motion | FileCheck %s

collective.group @world
collective.group @later members(#collective.at_run_time)

// CHECK-LABEL: func.func @equal_collectives_become_one
func.func @equal_collectives_become_one(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = collective.all_reduce
  // CHECK-NOT: collective
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  %1 = collective.all_reduce sum %a on @world : tensor<4xf32>
  // CHECK: return %[[R]], %[[R]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A loop may have no iteration, so the collective must not leave it.
// CHECK-LABEL: func.func @a_collective_is_never_speculated
func.func @a_collective_is_never_speculated(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %a) -> tensor<4xf32> {
    // CHECK-NEXT: collective.all_reduce
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    %1 = arith.addf %sum, %0 : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @buffers_are_reduced_as_often_as_the_program_says
func.func @buffers_are_reduced_as_often_as_the_program_says(%m: memref<4xf32>) {
  // CHECK-COUNT-2: collective.all_reduce
  collective.all_reduce sum %m into %m on @world : memref<4xf32>
  collective.all_reduce sum %m into %m on @world : memref<4xf32>
  // CHECK-COUNT-2: collective.barrier
  collective.barrier on @world
  collective.barrier on @world
  return
}

// Two messages are two, however equal; and nothing overtakes them.
// CHECK-LABEL: func.func @every_message_is_sent
func.func @every_message_is_sent(%a: tensor<4xf32>, %peer: index) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: collective.send
  collective.send %a to %peer tag 0 on @world : tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]] = collective.recv
  %0 = collective.recv from %peer tag 0 on @world : tensor<4xf32>
  // CHECK-NEXT: collective.send
  collective.send %a to %peer tag 0 on @world : tensor<4xf32>
  // CHECK-NEXT: %[[S:.*]] = collective.recv
  %1 = collective.recv from %peer tag 0 on @world : tensor<4xf32>
  // CHECK: return %[[R]], %[[S]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Between making and ending a group, nothing is one.
// CHECK-LABEL: func.func @groups_come_and_go
func.func @groups_come_and_go(%r: index) {
  // CHECK-NEXT: collective.create_group
  collective.create_group @later of %r : index
  // CHECK-NEXT: collective.destroy_group
  collective.destroy_group @later
  // CHECK-NEXT: collective.create_group
  collective.create_group @later of %r : index
  // CHECK-NEXT: collective.destroy_group
  collective.destroy_group @later
  return
}

// A completion is kept though nobody uses its values: what was started must end.
// CHECK-LABEL: func.func @completions_stay
func.func @completions_stay(%a: tensor<4xf32>) {
  // CHECK-NEXT: collective.all_reduce
  %0 = collective.all_reduce sum %a on @world {collective.future = 0 : i64} : tensor<4xf32>
  // CHECK-NEXT: collective.complete 0
  %1 = collective.complete 0 of %0 : tensor<4xf32>
  return
}
