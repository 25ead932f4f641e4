// What does not fit into a budget is computed again where it is needed late; what cannot be is an error.
// RUN: dist-opt %s --lower-plan-memory=budget=128 --split-input-file --verify-diagnostics | FileCheck %s

// Three buffers of 64 bytes, of which two live: %a is given up while %b and %c are there, and made again from %x.
// CHECK-LABEL: @made_again
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @made_again(%x: memref<16xf32>, %y: memref<16xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  // CHECK: linalg.exp ins(%[[X:.*]] : memref<16xf32>) outs(%[[A:.*]] : memref<16xf32>)
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  // CHECK: linalg.exp ins(%[[A]] : memref<16xf32>) outs(%[[B:.*]] : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  // CHECK-NEXT: linalg.exp ins(%[[B]] : memref<16xf32>) outs(%[[C:.*]] : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  // CHECK: %[[AGAIN:.*]] = memref.view
  // CHECK: linalg.exp ins(%[[X]] : memref<16xf32>) outs(%[[AGAIN]] : memref<16xf32>)
  // CHECK: linalg.add ins(%[[AGAIN]], %[[C]] : memref<16xf32>, memref<16xf32>)
  linalg.add ins(%a, %c : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// A use through a view of what is made again is a use of a view of it; what several operations make is made by all of them.
// CHECK-LABEL: @made_by_two_and_used_through_a_view
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @made_by_two_and_used_through_a_view(%x: memref<16xf32>, %y: memref<4x4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.add ins(%a, %x : memref<16xf32>, memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  // CHECK-COUNT-3: linalg.exp
  // CHECK: linalg.exp ins(%{{.*}} : memref<16xf32>) outs(%[[AGAIN:.*]] : memref<16xf32>)
  // CHECK-NEXT: linalg.add ins(%[[AGAIN]], %{{.*}} : memref<16xf32>, memref<16xf32>) outs(%[[AGAIN]] : memref<16xf32>)
  // CHECK: %[[VIEW:.*]] = memref.expand_shape %[[AGAIN]]
  // CHECK: linalg.add ins(%[[VIEW]],
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  %w = memref.expand_shape %c [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  linalg.add ins(%v, %w : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

// What it is made of has changed when it would be made again.
// expected-error@+1 {{needs 192 bytes for temporary buffers, and 128 are given: computing values again saves no more. 192 bytes live at}}
func.func @made_of_what_has_changed(%x: memref<16xf32>, %y: memref<16xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.add ins(%b, %c : memref<16xf32>, memref<16xf32>) outs(%x : memref<16xf32>)
  linalg.add ins(%a, %c : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// Nothing is communicated twice.
collective.group @world {size = 4 : i64}

// expected-error@+1 {{needs 192 bytes for temporary buffers, and 128 are given}}
func.func @communicated(%x: memref<16xf32>, %y: memref<16xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  collective.all_reduce sum %x into %a on @world : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.add ins(%a, %c : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// The body of a loop is a schedule of its own: each iteration makes %a twice.
// CHECK-LABEL: @in_a_loop
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @in_a_loop(%x: memref<16xf32>, %y: memref<16xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    %c = memref.alloc() : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
    // CHECK-COUNT-4: linalg.exp
    // CHECK: linalg.add
    linalg.add ins(%a, %c : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  }
  return
}
