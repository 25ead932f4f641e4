// Temporary buffers share one arena: those that live at the same time lie apart.
// RUN: dist-opt %s --lower-plan-memory --split-input-file | FileCheck %s

// a and b live together, c can take the place of a. 16 bytes each, aligned to 64.
// CHECK-LABEL: @three_buffers
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<128xi8>, %{{[a-z0-9]*}}: !llvm.ptr) attributes {kernel.arena_bytes = 128 : i64}
func.func @three_buffers(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK-NOT: memref.alloc
  // CHECK: %[[A:.*]] = memref.view %[[ARENA]][%c0][] : memref<128xi8> to memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  // CHECK: %[[B:.*]] = memref.view %[[ARENA]][%c64][]
  %b = memref.alloc() : memref<4xf32>
  // CHECK: %[[C:.*]] = memref.view %[[ARENA]][%c0{{.*}}][]
  %c = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%a) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%b) into(%c) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%c) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// A use of a view is a use of the buffer; a bool takes a byte.
// CHECK-LABEL: @used_through_a_view
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @used_through_a_view(%x: memref<4xi1>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK: memref.view %{{.*}}[%c0][] : memref<128xi8> to memref<2x2xi1>
  // CHECK: memref.view %{{.*}}[%c64][]
  %a = memref.alloc() : memref<2x2xi1>
  %v = memref.collapse_shape %a [[0, 1]] : memref<2x2xi1> into memref<4xi1>
  %b = memref.alloc() : memref<4xi1>
  kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xi1>) -> memref<2x2xi1>
  kernel.copy_blocks(%x) into(%b) {bytes = 16 : i64} : (memref<4xi1>) -> memref<4xi1>
  kernel.matmul(%v, %b) into(%x) {k = 2 : i64, m = 2 : i64, n = 2 : i64} : (memref<4xi1>, memref<4xi1>) -> memref<4xi1>
  return
}

// -----

// CHECK-LABEL: @nothing_to_place
// CHECK-SAME: memref<0xi8>
// CHECK-SAME: kernel.arena_bytes = 0 : i64
func.func @nothing_to_place(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  return
}

// -----

// What communication uses while it runs lives until it is complete, whether the completion names it or not.
collective.group @world {size = 4 : i64}

// CHECK-LABEL: @in_use_until_completed
// CHECK-SAME: kernel.arena_bytes = 192 : i64
func.func @in_use_until_completed(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK-DAG: %[[SENT:.*]] = memref.view %{{.*}}[%c0][]
  // CHECK-DAG: %[[MEANWHILE:.*]] = memref.view %{{.*}}[%c64{{.*}}][]
  // CHECK-DAG: %[[LATER:.*]] = memref.view %{{.*}}[%c128{{.*}}][]
  %sent = memref.alloc() : memref<4xf32>
  %meanwhile = memref.alloc() : memref<4xf32>
  %later = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%sent) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  collective.all_reduce sum %sent into %sent on @world {collective.future = 0 : i64} : memref<4xf32>
  kernel.copy_blocks(%x) into(%meanwhile) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%meanwhile) into(%later) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  collective.complete 0
  kernel.copy_blocks(%later) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// The same without a future: the place of what was sent is free for the last buffer.
collective.group @world {size = 4 : i64}

// CHECK-LABEL: @free_after_the_call
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @free_after_the_call(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %sent = memref.alloc() : memref<4xf32>
  %meanwhile = memref.alloc() : memref<4xf32>
  %later = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%sent) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  collective.all_reduce sum %sent into %sent on @world : memref<4xf32>
  kernel.copy_blocks(%x) into(%meanwhile) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%meanwhile) into(%later) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.copy_blocks(%later) into(%x) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// An index takes eight bytes.
// CHECK-LABEL: @indices
// CHECK-SAME: kernel.arena_bytes = 128 : i64
func.func @indices(%x: index, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %a = memref.alloc() : memref<16xindex>
  %c0 = arith.constant 0 : index
  memref.store %x, %a[%c0] : memref<16xindex>
  return
}

// -----

// Buffers of branches have places of their own, and live as long as what they may be the value of.
// CHECK-LABEL: @chosen_by_a_branch
// CHECK-SAME: kernel.arena_bytes = 192 : i64
func.func @chosen_by_a_branch(%x: memref<4xf32>, %condition: i1, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK-DAG: memref.view %{{.*}}[%c0][]
  // CHECK-DAG: memref.view %{{.*}}[%c64{{.*}}][]
  // CHECK: scf.if
  // CHECK-NOT: memref.alloc
  %chosen = scf.if %condition -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  // CHECK: memref.view %{{.*}}[%c128{{.*}}][]
  %later = memref.alloc() : memref<4xf32>
  kernel.copy_blocks(%x) into(%later) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
  kernel.matmul(%chosen, %later) into(%x) {k = 2 : i64, m = 2 : i64, n = 2 : i64} : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return
}
