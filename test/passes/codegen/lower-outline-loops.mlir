// Loop nests that are alike become calls of one function; what would not gain, or cannot be shared, stays.
// RUN: dist-opt %s --lower-outline-loops --cse --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// Two places of the arena, another shape of as many elements, and an argument: one function of flat arrays.
// CHECK-LABEL: func.func @places(
// CHECK-SAME: %[[A:.*]]: memref<12xf32> {llvm.noalias}, %[[ARENA:.*]]: memref<512xi8>
// CHECK: %[[X:.*]] = memref.view %[[ARENA]][%c0{{.*}}][] : memref<512xi8> to memref<12xf32>
// CHECK: %[[Y:.*]] = memref.view %[[ARENA]][%c64{{.*}}][] : memref<512xi8> to memref<12xf32>
// CHECK: call @[[ADD:loops[_0-9]*]](%[[X]], %[[Y]]) : (memref<12xf32>, memref<12xf32>) -> ()
// CHECK: %[[X:.*]] = memref.view %[[ARENA]][%c128{{.*}}][] : memref<512xi8> to memref<12xf32>
// CHECK: %[[Y:.*]] = memref.view %[[ARENA]][%c192{{.*}}][] : memref<512xi8> to memref<12xf32>
// CHECK: call @[[ADD]](%[[X]], %[[Y]])
// CHECK-NEXT: call @[[ADD]](%[[A]], %[[Y]])
func.func @places(%a: memref<12xf32> {llvm.noalias}, %arena: memref<512xi8> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %one = arith.constant 1.0 : f32
  %0 = memref.view %arena[%c0][] : memref<512xi8> to memref<12xf32>
  %1 = memref.view %arena[%c64][] : memref<512xi8> to memref<12xf32>
  %2 = memref.view %arena[%c128][] : memref<512xi8> to memref<3x4xf32>
  %3 = memref.view %arena[%c192][] : memref<512xi8> to memref<3x4xf32>
  %4 = memref.collapse_shape %3 [[0, 1]] : memref<3x4xf32> into memref<12xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : memref<12xf32>) outs(%1 : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %one : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%2 : memref<3x4xf32>) outs(%3 : memref<3x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %one : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<12xf32>) outs(%4 : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %one : f32
    linalg.yield %s : f32
  }
  return
}
// The function has its own constants, is never inlined, and knows that its arrays share no memory.
// CHECK: func.func private @[[ADD]](%[[X:.*]]: memref<12xf32> {llvm.noalias}, %[[Y:.*]]: memref<12xf32> {llvm.noalias}) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK-NEXT: linalg.generic
// CHECK-SAME: ins(%[[X]] : memref<12xf32>) outs(%[[Y]] : memref<12xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.constant 1.0
// CHECK-NEXT: arith.addf
// CHECK-NOT: func.func

// -----

#id = affine_map<(d0) -> (d0)>

// An array that is read and written is one argument. Where arrays overlap, nothing is promised: other functions.
// CHECK-LABEL: func.func @overlaps
// CHECK: call @[[INPLACE:loops[_0-9]*]](%{{.*}}) : (memref<12xf32>) -> ()
// CHECK: call @[[OVERLAP:loops[_0-9]*]](%{{.*}}, %{{.*}}) : (memref<12xf32>, memref<12xf32>) -> ()
// CHECK: call @[[APART:loops[_0-9]*]](%{{.*}}, %{{.*}}) : (memref<12xf32>, memref<12xf32>) -> ()
// CHECK: func.func private @[[INPLACE]](%[[X:.*]]: memref<12xf32> {llvm.noalias})
// CHECK: ins(%[[X]] : memref<12xf32>) outs(%[[X]] : memref<12xf32>)
// CHECK: func.func private @[[OVERLAP]](%{{[a-z0-9]+}}: memref<12xf32>, %{{[a-z0-9]+}}: memref<12xf32>)
// CHECK: func.func private @[[APART]](%{{.*}}: memref<12xf32> {llvm.noalias}, %{{.*}}: memref<12xf32> {llvm.noalias})
func.func @overlaps(%arena: memref<512xi8> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %0 = memref.view %arena[%c0][] : memref<512xi8> to memref<12xf32>
  %1 = memref.view %arena[%c16][] : memref<512xi8> to memref<12xf32>
  %2 = memref.view %arena[%c48][] : memref<512xi8> to memref<12xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : memref<12xf32>) outs(%0 : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : memref<12xf32>) outs(%1 : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : memref<12xf32>) outs(%2 : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Arguments that promise nothing may be the same memory; what is only read may be.
// CHECK-LABEL: func.func @arguments
// CHECK: call @[[PLAIN:loops[_0-9]*]](%{{.*}}, %{{.*}})
// CHECK: call @[[READ:loops[_0-9]*]](%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: func.func private @[[PLAIN]](%{{[a-z0-9]+}}: memref<12xf32>, %{{[a-z0-9]+}}: memref<12xf32>)
// CHECK: func.func private @[[READ]](%{{[a-z0-9]+}}: memref<12xf32> {llvm.noalias}, %{{[a-z0-9]+}}: memref<12xf32> {llvm.noalias}, %{{[a-z0-9]+}}: memref<12xf32> {llvm.noalias})
func.func @arguments(%a: memref<12xf32>, %b: memref<12xf32>, %c: memref<12xf32> {llvm.noalias}) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<12xf32>) outs(%b : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : memref<12xf32>, memref<12xf32>) outs(%c : memref<12xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Other bodies, other constants and other types are other functions. A constant that fills is the function's own, a
// number that is computed is an argument.
// CHECK-LABEL: func.func @bodies
// CHECK: call @[[ZERO:loops[_0-9]*]](%{{.*}}) : (memref<12xf32>) -> ()
// CHECK: call @[[ONE:loops[_0-9]*]](%{{.*}}) : (memref<12xf32>) -> ()
// CHECK: call @[[ANY:loops[_0-9]*]](%{{.*}}, %{{.*}}) : (f32, memref<12xf32>) -> ()
// CHECK: call @[[ZERO]](
// CHECK: call @[[WIDE:loops[_0-9]*]](%{{.*}}) : (memref<12xf64>) -> ()
// CHECK: func.func private @[[ZERO]]
// CHECK-NEXT: arith.constant 0.0
// CHECK: func.func private @[[ONE]]
// CHECK-NEXT: arith.constant 1.0
// CHECK: func.func private @[[ANY]](%[[X:.*]]: f32,
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[X]] : f32)
// CHECK: func.func private @[[WIDE]]
func.func @bodies(%a: memref<12xf32>, %b: memref<12xf64>, %x: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %wide = arith.constant 0.0 : f64
  %any = memref.load %x[] : memref<f32>
  linalg.fill ins(%zero : f32) outs(%a : memref<12xf32>)
  linalg.fill ins(%one : f32) outs(%a : memref<12xf32>)
  linalg.fill ins(%any : f32) outs(%a : memref<12xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<12xf32>)
  linalg.fill ins(%wide : f64) outs(%b : memref<12xf64>)
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Parts of an argument keep their offset, parts of the arena are places of their own.
// CHECK-LABEL: func.func @parts
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [10], strides: [1] : memref<12xf32> to memref<10xf32>
// CHECK: call @[[FROM4:loops[_0-9]*]](%[[FLAT]]) : (memref<10xf32>) -> ()
// CHECK: %[[PLACE:.*]] = memref.view %{{.*}}[%c80{{.*}}][] : memref<512xi8> to memref<6xf32>
// CHECK: call @[[FROM0:loops[_0-9]*]](%[[PLACE]]) : (memref<6xf32>) -> ()
// CHECK: func.func private @[[FROM4]](%[[X:.*]]: memref<10xf32> {llvm.noalias})
// CHECK: memref.reinterpret_cast %[[X]] to offset: [4], sizes: [6], strides: [1] : memref<10xf32> to memref<6xf32, strided<[1], offset: 4>>
// CHECK: func.func private @[[FROM0]](%[[X:.*]]: memref<6xf32> {llvm.noalias})
func.func @parts(%a: memref<12xf32>, %arena: memref<512xi8>) {
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %0 = memref.subview %a[4] [6] [1] : memref<12xf32> to memref<6xf32, strided<[1], offset: 4>>
  linalg.fill ins(%zero : f32) outs(%0 : memref<6xf32, strided<[1], offset: 4>>)
  %1 = memref.view %arena[%c64][] : memref<512xi8> to memref<12xf32>
  %2 = memref.subview %1[4] [6] [1] : memref<12xf32> to memref<6xf32, strided<[1], offset: 4>>
  linalg.fill ins(%zero : f32) outs(%2 : memref<6xf32, strided<[1], offset: 4>>)
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<() -> ()>

// These stay: one element, a place that is computed, a value from outside, a division that may report its node.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: func.func
func.func @stay(%a: memref<12xi32>, %b: memref<12xi32>, %s: memref<i32>, %t: memref<i32>, %at: index) {
  linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%s : memref<i32>) outs(%t : memref<i32>) {
  ^bb0(%x: i32, %y: i32):
    %n = arith.addi %x, %x : i32
    linalg.yield %n : i32
  }
  %part = memref.subview %a[%at] [6] [1] : memref<12xi32> to memref<6xi32, strided<[1], offset: ?>>
  %six = memref.subview %b[0] [6] [1] : memref<12xi32> to memref<6xi32, strided<[1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%part : memref<6xi32, strided<[1], offset: ?>>) outs(%six : memref<6xi32, strided<[1]>>) {
  ^bb0(%x: i32, %y: i32):
    %n = arith.addi %x, %x : i32
    linalg.yield %n : i32
  }
  %outside = memref.load %s[] : memref<i32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<12xi32>) outs(%b : memref<12xi32>) {
  ^bb0(%x: i32, %y: i32):
    %n = arith.addi %x, %outside : i32
    linalg.yield %n : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<12xi32>) outs(%b : memref<12xi32>) {
  ^bb0(%x: i32, %y: i32):
    %n = arith.divsi %x, %y : i32
    linalg.yield %n : i32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A division by a constant cannot fail.
// CHECK-LABEL: func.func @safe
// CHECK-NOT: linalg
// CHECK: call @loops
func.func @safe(%a: memref<12xi32>) {
  %two = arith.constant 2 : i32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<12xi32>) {
  ^bb0(%x: i32):
    %n = arith.divsi %x, %two : i32
    linalg.yield %n : i32
  }
  return
}
