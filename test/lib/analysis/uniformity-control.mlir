// Control flow that ranks decide differently makes what comes out of it varying; what stands in it is divergent.
// RUN: dist-opt %s --distribute-print-uniformity -o /dev/null | FileCheck %s

collective.group @world

// CHECK-LABEL: @branches_of_uniform_values
func.func @branches_of_uniform_values(%flag: i1, %a: tensor<f32> {train.variable = #train.variable<"a", other>},
                                      %b: tensor<f32> {train.variable = #train.variable<"b", other>}) {
  %rank = collective.rank on @world : index
  %size = collective.size on @world : index
  %zero = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %zero : index
  %is_alone = arith.cmpi eq, %size, %zero : index
  // CHECK: varying %{{.*}} = scf.if
  // CHECK: divergent uniform %{{.*}} = arith.addf
  %0 = scf.if %is_first -> tensor<f32> {
    %sum = arith.addf %a, %b : tensor<f32>
    scf.yield %sum : tensor<f32>
  } else {
    scf.yield %b : tensor<f32>
  }
  // CHECK: uniform %{{.*}} = scf.if
  // CHECK-NEXT: {{^}}    uniform %{{.*}} = arith.addf
  %1 = scf.if %is_alone -> tensor<f32> {
    %sum = arith.addf %a, %b : tensor<f32>
    scf.yield %sum : tensor<f32>
  } else {
    scf.yield %b : tensor<f32>
  }
  return
}

// CHECK-LABEL: @loops
func.func @loops(%w: tensor<f32> {train.variable = #train.variable<"w", other>}, %x: tensor<f32>) {
  %rank = collective.rank on @world : index
  %size = collective.size on @world : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: uniform %[[R:.*]] = scf.for {{.*}} to %size
  // CHECK: uniform argument
  // CHECK: uniform argument
  %0 = scf.for %i = %zero to %size step %one iter_args(%at = %w) -> tensor<f32> {
    %next = arith.addf %at, %w : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  // Bounds that differ.
  // CHECK: varying %{{.*}} = scf.for {{.*}} to %rank
  // CHECK: varying argument
  // CHECK: varying argument
  %1 = scf.for %i = %zero to %rank step %one iter_args(%at = %w) -> tensor<f32> {
    %next = arith.addf %at, %w : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  // A value that becomes varying in the second iteration, and one that never does.
  // CHECK: varying uniform %{{.*}}:2 = scf.for {{.*}} to %size
  %2:2 = scf.for %i = %zero to %size step %one iter_args(%at = %w, %other = %w) -> (tensor<f32>, tensor<f32>) {
    %next = arith.addf %at, %x : tensor<f32>
    scf.yield %next, %other : tensor<f32>, tensor<f32>
  }
  return
}

// CHECK-LABEL: @a_while_loop_that_ranks_leave_at_different_times
func.func @a_while_loop_that_ranks_leave_at_different_times(%w: tensor<f32> {train.variable = #train.variable<"w", other>}) {
  %rank = collective.rank on @world : index
  %zero = arith.constant 0 : index
  // CHECK: varying %{{.*}} = scf.while
  %0 = scf.while (%at = %w) : (tensor<f32>) -> tensor<f32> {
    %again = arith.cmpi eq, %rank, %zero : index
    // CHECK: divergent scf.condition
    scf.condition(%again) %at : tensor<f32>
  } do {
  ^body(%at: tensor<f32>):
    scf.yield %at : tensor<f32>
  }
  return
}

// Writes to memory in a loop can change what the operations around it see.
// CHECK-LABEL: @operations_without_results
func.func @operations_without_results(%m: memref<f32>, %x: f32, %w: tensor<f32> {train.variable = #train.variable<"w", other>}) {
  %size = collective.size on @world : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: varying %{{.*}} = scf.for
  %0 = scf.for %i = %zero to %size step %one iter_args(%at = %w) -> tensor<f32> {
    memref.store %x, %m[] : memref<f32>
    scf.yield %at : tensor<f32>
  }
  return
}

// CHECK-LABEL: @blocks_after_a_varying_branch
func.func @blocks_after_a_varying_branch(%flag: i1, %w: i32 {train.variable = #train.variable<"w", other>}) -> i32 {
  // CHECK: {{^}}  uniform %[[S:.*]] = arith.addi
  %0 = arith.addi %w, %w : i32
  cf.cond_br %flag, ^a(%w : i32), ^b(%0 : i32)
^a(%x: i32):
  // CHECK: varying argument
  // CHECK: divergent varying %{{.*}} = arith.addi
  %1 = arith.addi %0, %0 : i32
  cf.br ^b(%1 : i32)
^b(%y: i32):
  // CHECK: varying argument
  // CHECK: divergent func.return
  return %y : i32
}

// CHECK-LABEL: @blocks_after_a_uniform_branch
func.func @blocks_after_a_uniform_branch(%x: i32, %w: i32 {train.variable = #train.variable<"w", other>}) -> i32 {
  %size = collective.size on @world : index
  %zero = arith.constant 0 : index
  %flag = arith.cmpi eq, %size, %zero : index
  cf.cond_br %flag, ^a(%w : i32), ^b(%x : i32)
^a(%y: i32):
  // CHECK: uniform argument
  cf.br ^b(%y : i32)
^b(%z: i32):
  // CHECK: varying argument
  // CHECK: {{^}}  func.return
  return %z : i32
}
