// On tensors equal collectives are one; none is executed where the program would not execute it; on memrefs every
// one is kept in order.
// RUN: dist-opt %s --cse --loop-invariant-code-motion | FileCheck %s

collective.group @world

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
