// Linalg on buffers becomes as few loops as memory allows.
// RUN: dist-opt %s --lower-loops --split-input-file | FileCheck %s

// One loop over all 32 elements.
// CHECK-LABEL: @elementwise
func.func @elementwise(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  // CHECK: %[[X:.*]] = memref.reinterpret_cast %{{.*}} : memref<8x4xf32> to memref<32xf32>
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c32
  // CHECK-NOT: scf.for
  // CHECK: memref.load %[[X]][%[[I]]]
  linalg.exp ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
  return
}

// -----

// Rows repeat: two loops.
// CHECK-LABEL: @broadcast
func.func @broadcast(%x: memref<4xf32>, %y: memref<8x4xf32>) {
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  linalg.broadcast ins(%x : memref<4xf32>) outs(%y : memref<8x4xf32>) dimensions = [0]
  return
}

// -----

// The sum stays in a register, over both reduced dimensions at once.
// CHECK-LABEL: @sum_of_each_row
func.func @sum_of_each_row(%x: memref<8x4x2xf32>, %y: memref<8xf32>) {
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c8
  // CHECK: %[[START:.*]] = memref.load
  // CHECK: %[[SUM:.*]] = scf.for %{{.*}} to %c8{{.*}} iter_args(%[[ACC:.*]] = %[[START]])
  // CHECK: arith.addf
  // CHECK: scf.yield
  // CHECK: memref.store %[[SUM]]
  linalg.reduce {arith.addf} ins(%x : memref<8x4x2xf32>) outs(%y : memref<8xf32>) dimensions = [1, 2]
  return
}

// -----

// Here the inner loop runs over the results, which vectorises.
// CHECK-LABEL: @sum_of_each_column
func.func @sum_of_each_column(%x: memref<8x4xf32>, %y: memref<4xf32>) {
  // CHECK: scf.for %{{.*}} to %c8
  // CHECK: scf.for %{{.*}} to %c4
  // CHECK-NOT: iter_args
  // CHECK: memref.store
  linalg.reduce {arith.addf} ins(%x : memref<8x4xf32>) outs(%y : memref<4xf32>) dimensions = [0]
  return
}

// -----

// A dimension whose index is needed stays a loop of its own, even if it is one iteration.
// CHECK-LABEL: @needs_an_index
func.func @needs_an_index(%y: memref<8x1xi64>) {
  // CHECK: scf.for
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %c1
  // CHECK: arith.index_cast %[[J]]
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<8x1xi64>) {
    ^bb0(%out: i64):
      %i = linalg.index 1 : index
      %c = arith.index_cast %i : index to i64
      linalg.yield %c : i64
  }
  return
}

// -----

// A buffer that starts inside another and has gaps.
// CHECK-LABEL: @part_of_a_buffer
func.func @part_of_a_buffer(%x: memref<2x3xf32, strided<[8, 1], offset: 5>>, %y: memref<2x3xf32>) {
  // CHECK: memref.reinterpret_cast %{{.*}} to offset: [5], sizes: [11], strides: [1]
  // CHECK: scf.for
  // CHECK: scf.for
  linalg.exp ins(%x : memref<2x3xf32, strided<[8, 1], offset: 5>>) outs(%y : memref<2x3xf32>)
  return
}

// -----

// CHECK-LABEL: @a_single_number
func.func @a_single_number(%x: f32, %y: memref<f32>) {
  // CHECK-NOT: scf.for
  // CHECK: memref.store
  linalg.fill ins(%x : f32) outs(%y : memref<f32>)
  return
}

// -----

// CHECK-LABEL: @nothing_to_do
func.func @nothing_to_do(%x: memref<4xf32>, %y: memref<4xf32>) {
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: return
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// A part of a buffer whose place is computed: its array starts there.
// CHECK-LABEL: func.func @part
func.func @part(%x: memref<8x4xf32>, %y: memref<8x2xf32>, %at: index) {
  // CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %{{.*}} : memref<8x2xf32, strided<[4, 1], offset: ?>>
  // CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [30], strides: [1] : memref<f32> to memref<30xf32, strided<[1], offset: ?>>
  %part = memref.subview %x[0, %at] [8, 2] [1, 1] : memref<8x4xf32> to memref<8x2xf32, strided<[4, 1], offset: ?>>
  linalg.copy ins(%part : memref<8x2xf32, strided<[4, 1], offset: ?>>) outs(%y : memref<8x2xf32>)
  return
}
