// Buffers of loops have one place for all iterations; every buffer has 16 bytes, aligned to 64.
// RUN: dist-opt %s --lower-plan-memory --split-input-file | FileCheck %s

// What one iteration needs lives within it: a, b and c take turns in two places.
// CHECK-LABEL: @of_one_iteration
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @of_one_iteration(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: memref.view %{{.*}}[%c0{{[_0-9]*}}][]
    // CHECK: memref.view %{{.*}}[%c64{{[_0-9]*}}][]
    // CHECK: memref.view %{{.*}}[%c0{{[_0-9]*}}][]
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    %c = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%a) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%b) into(%c) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%c) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  }
  return
}

// -----

// A sum that a loop adds to lives through all of it, though its last use stands before that of b; what came before the
// loop, or comes after it, may stand where its buffers stood.
// CHECK-LABEL: @used_in_every_iteration
// CHECK-SAME: kernel.arena_bytes = 192 : i64
func.func @used_in_every_iteration(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[SUM:.*]] = memref.view %{{.*}}[%c0{{[_0-9]*}}][]
  // CHECK: %[[BEFORE:.*]] = memref.view %{{.*}}[%c64{{[_0-9]*}}][]
  %sum = memref.alloc() : memref<4xf32>
  %before = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%before) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%before) into(%sum) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  // CHECK: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: memref.view %{{.*}}[%c64{{[_0-9]*}}][]
    // CHECK: memref.view %{{.*}}[%c128{{[_0-9]*}}][]
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%sum) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%a) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%b) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  }
  // CHECK: memref.view %{{.*}}[%c0{{[_0-9]*}}][]
  %after = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%after) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%after) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// Loop-carried buffers live through the loop and as long as its results, whichever of the two a result shows.
// CHECK-LABEL: @carried
// CHECK-SAME: kernel.arena_bytes = 256 : i64
func.func @carried(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[A:.*]] = memref.view %{{.*}}[%c0{{[_0-9]*}}][]
  // CHECK: %[[B:.*]] = memref.view %{{.*}}[%c64{{[_0-9]*}}][]
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%x) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[B]])
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    // CHECK: memref.view %{{.*}}[%c128{{[_0-9]*}}][]
    %t = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%p) into(%t) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%t) into(%q) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    scf.yield %q, %p : memref<4xf32>, memref<4xf32>
  }
  // CHECK: memref.view %{{.*}}[%c128{{[_0-9]*}}][]
  // CHECK: memref.view %{{.*}}[%c192{{[_0-9]*}}][]
  %s = memref.alloc() : memref<4xf32>
  %u = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%s) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%s) into(%u) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.matmul(%r#0, %r#1) into(%x) {k = 2 : i64, m = 2 : i64, n = 2 : i64} : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%u) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// Loops in loops: what the inner one uses of the outer one's iteration lives through the inner one, not longer.
// CHECK-LABEL: @nested
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @nested(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: memref.view %{{.*}}[%c0{{[_0-9]*}}][]
    %a = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      // CHECK: memref.view %{{.*}}[%c64{{[_0-9]*}}][]
      %b = memref.alloc() : memref<4xf32>
      kernel.copy_blocks(%a) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
      kernel.copy_blocks(%b) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    }
    // CHECK: memref.view %{{.*}}[%c0{{[_0-9]*}}][]
    %c = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%x) into(%c) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    kernel.copy_blocks(%c) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  }
  return
}

// -----

// A branch in a loop: its buffers move out of the branch, not out of the loop.
// CHECK-LABEL: @branch_in_a_loop
// CHECK-SAME: kernel.arena_bytes = 64 : i64
func.func @branch_in_a_loop(%x: memref<4xf32>, %condition: i1, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: memref.view
    // CHECK: memref.view
    // CHECK: scf.if
    // CHECK-NOT: memref.view
    scf.if %condition {
      %a = memref.alloc() : memref<4xf32>
      kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
      kernel.copy_blocks(%a) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    } else {
      %b = memref.alloc() : memref<4xf32>
      kernel.copy_blocks(%x) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
      kernel.copy_blocks(%b) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    }
  }
  return
}
