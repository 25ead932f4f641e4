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

// 37 neighbouring floats: 16 partial sums of two elements each, halved until one is left; five elements follow in order.
// CHECK-LABEL: @sum_in_lanes
func.func @sum_in_lanes(%x: memref<8x37xf32>, %m: memref<8xf32>, %y: memref<8xf32>) {
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c8
  // CHECK: %[[START:.*]] = memref.load %{{.*}}[%[[I]]]
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
  // CHECK: %[[LANES:.*]] = scf.for %{{.*}} to %c32{{.*}} step %c16{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<16xf32>)
  // CHECK: %[[X:.*]] = vector.load {{.*}} vector<16xf32>
  // CHECK: %[[M:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
  // CHECK: %[[D:.*]] = arith.subf %[[X]], %[[M]] : vector<16xf32>
  // CHECK: arith.addf %[[ACC]], %[[D]] : vector<16xf32>
  // CHECK: %[[LOW:.*]] = vector.shuffle %[[LANES]], %[[LANES]] [0, 1, 2, 3, 4, 5, 6, 7]
  // CHECK: %[[HIGH:.*]] = vector.shuffle %[[LANES]], %[[LANES]] [8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
  // CHECK-COUNT-3: arith.addf
  // CHECK: %[[ONE:.*]] = vector.extract
  // CHECK: %[[SUM:.*]] = arith.addf %[[START]], %[[ONE]] : f32
  // CHECK: %[[ALL:.*]] = scf.for %{{.*}} = %c32{{.*}} to %c37{{.*}} step %c1{{.*}} iter_args(%{{.*}} = %[[SUM]]) -> (f32)
  // CHECK: memref.store %[[ALL]]
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %m : memref<8x37xf32>, memref<8xf32>) outs(%y : memref<8xf32>) {
    ^bb0(%in: f32, %mean: f32, %out: f32):
      %d = arith.subf %in, %mean : f32
      %s = arith.addf %out, %d : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// Lanes know their index; nothing follows 32 elements.
// CHECK-LABEL: @sum_with_an_index
func.func @sum_with_an_index(%x: memref<32xf32>, %label: memref<i64>, %y: memref<f32>) {
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %c32{{.*}} step %c16
  // CHECK: %[[FIRST:.*]] = vector.broadcast %[[J]] : index to vector<16xindex>
  // CHECK: arith.addi %[[FIRST]], %cst{{.*}} : vector<16xindex>
  // CHECK: arith.cmpi eq, %{{.*}} : vector<16xi64>
  // CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
  // CHECK-NOT: scf.for
  // CHECK: return
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x, %label : memref<32xf32>, memref<i64>) outs(%y : memref<f32>) {
    ^bb0(%in: f32, %l: i64, %out: f32):
      %zero = arith.constant 0.0 : f32
      %i = linalg.index 0 : index
      %c = arith.index_cast %i : index to i64
      %is = arith.cmpi eq, %c, %l : i64
      %picked = arith.select %is, %in, %zero : f32
      %s = arith.addf %out, %picked : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// No lanes: elements that are apart, integers, a maximum that is written as a choice.
// CHECK-LABEL: @no_lanes
func.func @no_lanes(%x: memref<32x2xf32, strided<[2, 1]>>, %i: memref<32xi32>, %y: memref<2xf32>, %s: memref<i32>, %m: memref<f32>) {
  // CHECK-NOT: vector
  // CHECK: return
  %column = memref.subview %x[0, 0] [32, 1] [1, 1] : memref<32x2xf32, strided<[2, 1]>> to memref<32xf32, strided<[2]>>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%column : memref<32xf32, strided<[2]>>) outs(%m : memref<f32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %out, %in : f32
      linalg.yield %sum : f32
  }
  linalg.reduce {arith.addi} ins(%i : memref<32xi32>) outs(%s : memref<i32>) dimensions = [0]
  %z = memref.subview %x[0, 0] [16, 2] [1, 1] : memref<32x2xf32, strided<[2, 1]>> to memref<16x2xf32, strided<[2, 1]>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%z : memref<16x2xf32, strided<[2, 1]>>) outs(%m : memref<f32>) {
    ^bb0(%in: f32, %out: f32):
      %less = arith.cmpf olt, %out, %in : f32
      %max = arith.select %less, %in, %out : f32
      linalg.yield %max : f32
  }
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

// -----

// A copy with gaps is a nest; one of memory without any stays.
// CHECK-LABEL: @copies
func.func @copies(%x: memref<2x3xf32>, %y: memref<2x6xf32>, %z: memref<2x3xf32>) {
  %right = memref.subview %y[0, 3] [2, 3] [1, 1] : memref<2x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 3>>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: memref.store
  // CHECK-NOT: memref.copy {{.*}}strided
  memref.copy %x, %right : memref<2x3xf32> to memref<2x3xf32, strided<[6, 1], offset: 3>>
  // CHECK: memref.copy %{{.*}}, %{{.*}} : memref<2x3xf32> to memref<2x3xf32>
  memref.copy %x, %z : memref<2x3xf32> to memref<2x3xf32>
  return
}
