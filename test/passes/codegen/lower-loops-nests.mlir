// Which dimensions become one loop, where each operand is in it, and what lanes do at their ends.
// RUN: dist-opt %s --lower-loops --split-input-file | FileCheck %s

// Rows of one are columns of the other: two loops, each operand with strides of its own.
// CHECK-LABEL: @transposed
func.func @transposed(%x: memref<8x4xf32>, %y: memref<4x8xf32>) {
  // CHECK: %[[X:.*]] = memref.reinterpret_cast %{{.*}} : memref<8x4xf32> to memref<32xf32>
  // CHECK: %[[Y:.*]] = memref.reinterpret_cast %{{.*}} : memref<4x8xf32> to memref<32xf32>
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
  // CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c8
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %c8
  // CHECK: %[[BELOW:.*]] = arith.muli %[[J]], %c4
  // CHECK: %[[FROM:.*]] = arith.addi %[[I]], %[[BELOW]]
  // CHECK: %[[TO:.*]] = arith.addi %[[ROW]], %[[J]]
  // CHECK: %[[V:.*]] = memref.load %[[X]][%[[FROM]]]
  // CHECK: memref.store %[[V]], %[[Y]][%[[TO]]]
  linalg.transpose ins(%x : memref<8x4xf32>) outs(%y : memref<4x8xf32>) permutation = [1, 0]
  return
}

// -----

// What is added repeats with the outer dimension alone, so that the two inner ones are one loop of 12.
// CHECK-LABEL: @merged_in_part
func.func @merged_in_part(%x: memref<2x3x4xf32>, %b: memref<3x4xf32>, %y: memref<2x3x4xf32>) {
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2
  // CHECK: %[[AT:.*]] = arith.muli %[[I]], %c12
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %c12
  // CHECK-NOT: scf.for
  // CHECK: %[[FROM:.*]] = arith.addi %[[AT]], %[[J]]
  // CHECK: memref.load %{{.*}}[%[[FROM]]] : memref<24xf32>
  // CHECK: memref.load %{{.*}}[%[[J]]] : memref<12xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : memref<2x3x4xf32>, memref<3x4xf32>) outs(%y : memref<2x3x4xf32>) {
    ^bb0(%in: f32, %bias: f32, %out: f32):
      %s = arith.addf %in, %bias : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// Dimensions of size 1 are no loops.
// CHECK-LABEL: @size_one
func.func @size_one(%x: memref<1x8x1xf32>, %y: memref<1x8x1xf32>) {
  // CHECK: scf.for %{{.*}} to %c8
  // CHECK-NOT: scf.for
  // CHECK: return
  linalg.exp ins(%x : memref<1x8x1xf32>) outs(%y : memref<1x8x1xf32>)
  return
}

// -----

// A loop over nothing runs not once, and its arrays have no element.
// CHECK-LABEL: @nothing
func.func @nothing(%x: memref<0x4xf32>, %y: memref<0x4xf32>) {
  // CHECK-COUNT-2: sizes: [0], strides: [1] : memref<0x4xf32> to memref<0xf32>
  // CHECK: arith.constant 1 : index
  // CHECK-NEXT: %[[END:.*]] = arith.constant 0 : index
  // CHECK-NEXT: %[[BEGIN:.*]] = arith.constant 0 : index
  // CHECK-NEXT: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step
  linalg.exp ins(%x : memref<0x4xf32>) outs(%y : memref<0x4xf32>)
  return
}

// -----

// An output is read only where the body reads it.
// CHECK-LABEL: @adds_to_what_is_there
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[Z:.*]]: memref<8xi32>)
func.func @adds_to_what_is_there(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xi32>) {
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c8
  // CHECK-NEXT: %[[IN:.*]] = memref.load %[[X]][%[[I]]]
  // CHECK-NEXT: %[[OLD:.*]] = memref.load %[[Y]][%[[I]]]
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OLD]], %[[IN]]
  // CHECK-NEXT: %[[SEVEN:.*]] = arith.constant 7
  // CHECK-NEXT: memref.store %[[SUM]], %[[Y]][%[[I]]]
  // CHECK-NEXT: memref.store %[[SEVEN]], %[[Z]][%[[I]]]
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y, %z : memref<8xf32>, memref<8xi32>) {
    ^bb0(%in: f32, %out: f32, %unused: i32):
      %s = arith.addf %out, %in : f32
      %n = arith.constant 7 : i32
      linalg.yield %s, %n : f32, i32
  }
  return
}

// -----

// A sum of two indices moves on with both loops.
// CHECK-LABEL: @window
// CHECK-SAME: (%[[X:.*]]: memref<10xf32>, %[[K:.*]]: memref<3xf32>, %[[Y:.*]]: memref<8xf32>)
func.func @window(%x: memref<10xf32>, %k: memref<3xf32>, %y: memref<8xf32>) {
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c8
  // CHECK: %[[START:.*]] = memref.load %[[Y]][%[[I]]]
  // CHECK: %[[ALL:.*]] = scf.for %[[J:.*]] = %{{.*}} to %c3{{.*}} iter_args(%[[SUM:.*]] = %[[START]])
  // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[J]]
  // CHECK: memref.load %[[X]][%[[AT]]]
  // CHECK: memref.load %[[K]][%[[J]]]
  // CHECK: memref.store %[[ALL]], %[[Y]][%[[I]]]
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : memref<10xf32>, memref<3xf32>) outs(%y : memref<8xf32>) {
    ^bb0(%in: f32, %weight: f32, %out: f32):
      %p = arith.mulf %in, %weight : f32
      %s = arith.addf %out, %p : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// Lanes of a maximum start from what is smaller than all, and are compared with what is there at the end.
// CHECK-LABEL: @max_in_lanes
func.func @max_in_lanes(%x: memref<16xf32>, %y: memref<f32>) {
  // CHECK: %[[START:.*]] = memref.load
  // CHECK: %[[LEAST:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
  // CHECK: %[[LANES:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %[[LEAST]])
  // CHECK: arith.maximumf %[[ACC]], %{{.*}} : vector<16xf32>
  // CHECK-NOT: scf.for
  // CHECK: %[[ONE:.*]] = vector.extract
  // CHECK: %[[MAX:.*]] = arith.maximumf %[[START]], %[[ONE]] : f32
  // CHECK-NEXT: memref.store %[[MAX]]
  linalg.reduce {arith.maximumf} ins(%x : memref<16xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// One element less than there are lanes: element by element.
// CHECK-LABEL: @fifteen
func.func @fifteen(%x: memref<15xf32>, %y: memref<f32>) {
  // CHECK-NOT: vector
  // CHECK: scf.for %{{.*}} to %c15{{.*}} step %c1{{.*}} -> (f32)
  // CHECK-NOT: vector
  // CHECK: return
  linalg.reduce {arith.addf} ins(%x : memref<15xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// Where one of two results is a float both go in lanes; the last four elements follow.
// CHECK-LABEL: @two_results
func.func @two_results(%x: memref<20xf32>, %i: memref<20xi32>, %y: memref<f32>, %n: memref<i32>) {
  // CHECK: %[[LANES:.*]]:2 = scf.for %{{.*}} to %c16{{.*}} step %c16{{.*}} -> (vector<16xf32>, vector<16xi32>)
  // CHECK: arith.addf %{{.*}} : vector<1xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : f32
  // CHECK: arith.addi %{{.*}} : vector<1xi32>
  // CHECK: %[[COUNT:.*]] = arith.addi %{{.*}} : i32
  // CHECK: %[[ALL:.*]]:2 = scf.for %{{.*}} = %c16{{.*}} to %c20{{.*}} iter_args(%{{.*}} = %[[SUM]], %{{.*}} = %[[COUNT]]) -> (f32, i32)
  // CHECK: memref.store %[[ALL]]#0
  // CHECK: memref.store %[[ALL]]#1
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x, %i : memref<20xf32>, memref<20xi32>) outs(%y, %n : memref<f32>, memref<i32>) {
    ^bb0(%in: f32, %k: i32, %out: f32, %count: i32):
      %s = arith.addf %out, %in : f32
      %c = arith.addi %count, %k : i32
      linalg.yield %s, %c : f32, i32
  }
  return
}

// -----

// What is called for one element is not called for lanes.
// CHECK-LABEL: @called
func.func @called(%x: memref<32xf32>, %y: memref<f32>) {
  // CHECK-NOT: vector
  // CHECK: func.call @f(%{{.*}}) : (f32) -> f32
  // CHECK-NOT: vector
  // CHECK: return
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<32xf32>) outs(%y : memref<f32>) {
    ^bb0(%in: f32, %out: f32):
      %d = func.call @f(%in) : (f32) -> f32
      %s = arith.addf %out, %d : f32
      linalg.yield %s : f32
  }
  return
}
func.func private @f(f32) -> f32

// -----

// An array that is walked backwards, every other element: its lowest element is the first of the flat one.
// CHECK-LABEL: @backwards
func.func @backwards(%x: memref<9xf32>, %y: memref<4xf32>) {
  // CHECK: %[[X:.*]] = memref.reinterpret_cast %arg0 to offset: [1]
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
  // CHECK: %[[LEFT:.*]] = arith.subi %c3{{.*}}, %[[I]]
  // CHECK: %[[FROM:.*]] = arith.muli %[[LEFT]], %c2
  // CHECK: %[[V:.*]] = memref.load %[[X]][%[[FROM]]]
  // CHECK: memref.store %[[V]], %{{.*}}[%[[I]]]
  linalg.generic {indexing_maps = [affine_map<(i) -> (i * -2 + 7)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<9xf32>) outs(%y : memref<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  }
  return
}
