// What is flattened stands in its row from the start where it can; only zeros are written after it.
// RUN: dist-opt %s --lower-plan-memory --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @moves_in
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<64xi8>
func.func @moves_in(%x: memref<2x5xf32>, %y: memref<12xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK-NOT: linalg.copy
  // CHECK: %[[ROW:.*]] = memref.view %[[ARENA]][%c0][] : memref<64xi8> to memref<12xf32>
  // CHECK: %[[A:.*]] = memref.reinterpret_cast %[[ROW]] to offset: [0], sizes: [2, 5], strides: [5, 1]
  %a = memref.alloc() : memref<2x5xf32>
  // CHECK: kernel.copy_blocks(%{{.*}}) into(%[[A]])
  kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<2x5xf32>) -> memref<2x5xf32>
  %row = memref.alloc() : memref<12xf32>
  // CHECK: %[[REST:.*]] = memref.reinterpret_cast %[[ROW]] to offset: [10], sizes: [2], strides: [1]
  // CHECK: linalg.fill ins(%{{.*}}) outs(%[[REST]]
  collective.flatten %a into %row : memref<2x5xf32> -> memref<12xf32>
  kernel.copy_blocks(%row) into(%y) {bytes = 16 : i64} : (memref<12xf32>) -> memref<12xf32>
  return
}

// A row of a row; of equal length nothing is left to do.
// CHECK-LABEL: @moves_in_twice
// CHECK-SAME: memref<64xi8>
func.func @moves_in_twice(%x: memref<2x5xf32>, %y: memref<12xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK-NOT: linalg.copy
  // CHECK-COUNT-1: linalg.fill
  // CHECK-NOT: linalg
  %a = memref.alloc() : memref<2x5xf32>
  kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<2x5xf32>) -> memref<2x5xf32>
  %row = memref.alloc() : memref<10xf32>
  collective.flatten %a into %row : memref<2x5xf32> -> memref<10xf32>
  %longer = memref.alloc() : memref<12xf32>
  collective.flatten %row into %longer : memref<10xf32> -> memref<12xf32>
  kernel.copy_blocks(%longer) into(%y) {bytes = 16 : i64} : (memref<12xf32>) -> memref<12xf32>
  return
}

// What is read afterwards is copied.
// CHECK-LABEL: @needed_afterwards
// CHECK-SAME: memref<128xi8>
func.func @needed_afterwards(%x: memref<2x5xf32>, %y: memref<12xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %a = memref.alloc() : memref<2x5xf32>
  kernel.copy_blocks(%x) into(%a) {bytes = 16 : i64} : (memref<2x5xf32>) -> memref<2x5xf32>
  %row = memref.alloc() : memref<12xf32>
  // CHECK: linalg.copy
  // CHECK: linalg.fill
  collective.flatten %a into %row : memref<2x5xf32> -> memref<12xf32>
  kernel.copy_blocks(%row) into(%y) {bytes = 16 : i64} : (memref<12xf32>) -> memref<12xf32>
  kernel.copy_blocks(%a) into(%x) {bytes = 16 : i64} : (memref<2x5xf32>) -> memref<2x5xf32>
  return
}

// So is what is not the function's own, as a variable, and what goes into a row that is not.
// CHECK-LABEL: @not_its_own
func.func @not_its_own(%x: memref<2x5xf32>, %y: memref<12xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK: linalg.copy
  collective.flatten %x into %y : memref<2x5xf32> -> memref<12xf32>
  return
}

// -----

func.func @no_unsigned_zero(%x: memref<2xui8>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %row = memref.alloc() : memref<4xui8>
  // expected-error @below {{puts zeros after its input, which cannot be made of 'ui8'; use i8 instead}}
  collective.flatten %x into %row : memref<2xui8> -> memref<4xui8>
  return
}
