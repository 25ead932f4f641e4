// Where the uses of states are over, the runtime is told; the window is what three neighbouring uses take, in pages.
// RUN: dist-opt %s --lower-offload-states=smallest=64 --split-input-file | FileCheck %s
// RUN: dist-opt %s --lower-offload-states="smallest=64 kept-bytes=10000" --split-input-file | FileCheck %s --check-prefix=KEPT

// Each update is a use of its own. What is smaller than asked stays in memory, and so does what is no state.
// CHECK-LABEL: func.func @initialize
// CHECK-NOT: kernel.state}
func.func @initialize(%w: memref<16xf32>, %a: memref<16xf32> {kernel.state}, %b: memref<16xf32> {kernel.state}, %c: memref<16xf32> {kernel.state},
                      %d: memref<16xf32> {kernel.state}, %small: memref<15xf32> {kernel.state}, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 6 : i64} {
  %zero = arith.constant 0.0 : f32
  // CHECK: linalg.fill {{.*}}%arg1
  // CHECK-NEXT: %[[FIRST:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK-NEXT: llvm.call @tutti_release_states(%arg7, %[[FIRST]])
  linalg.fill ins(%zero : f32) outs(%a : memref<16xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<16xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<16xf32>)
  linalg.fill ins(%zero : f32) outs(%d : memref<16xf32>)
  linalg.fill ins(%zero : f32) outs(%small : memref<15xf32>)
  return
}
// CHECK-LABEL: func.func @step
// CHECK-SAME: kernel.state_uses = array<i64: -1, 0, 1, 2, 3, -1>, kernel.state_window = 12288 : i64
// There is room for the pages of two.
// KEPT-LABEL: func.func @step
// KEPT-SAME: kernel.state_uses = array<i64: -1, -1, -1, 0, 1, -1>, kernel.state_window = 8192 : i64
// KEPT-COUNT-2: llvm.call @tutti_release_states
// KEPT-NOT: llvm.call
func.func @step(%w: memref<16xf32>, %a: memref<16xf32> {kernel.state}, %b: memref<16xf32> {kernel.state}, %c: memref<16xf32> {kernel.state},
                %d: memref<16xf32> {kernel.state}, %small: memref<15xf32> {kernel.state}, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 6 : i64} {
  // CHECK: linalg.add {{.*}} outs(%arg1
  // CHECK-NEXT: %[[USE:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK-NEXT: llvm.call @tutti_release_states(%arg7, %[[USE]]) : (!llvm.ptr, i64) -> ()
  linalg.add ins(%w, %a : memref<16xf32>, memref<16xf32>) outs(%a : memref<16xf32>)
  // A view of a state is the state.
  // CHECK: linalg.add {{.*}} outs(%{{expand.*}} :
  // CHECK-NEXT: llvm.mlir.constant(1 : i64)
  // CHECK-NEXT: llvm.call
  %v = memref.expand_shape %b [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  linalg.add ins(%v, %v : memref<4x4xf32>, memref<4x4xf32>) outs(%v : memref<4x4xf32>)
  // CHECK: linalg.add {{.*}} outs(%arg3
  // CHECK-NEXT: llvm.mlir.constant(2 : i64)
  linalg.add ins(%w, %c : memref<16xf32>, memref<16xf32>) outs(%c : memref<16xf32>)
  // In a branch the call stands in the branch.
  // CHECK: scf.if
  // CHECK-NEXT: linalg.add {{.*}} outs(%arg4
  // CHECK-NEXT: llvm.mlir.constant(3 : i64)
  // CHECK-NEXT: llvm.call
  // CHECK-NEXT: }
  %yes = arith.constant true
  scf.if %yes {
    linalg.add ins(%w, %d : memref<16xf32>, memref<16xf32>) outs(%d : memref<16xf32>)
  }
  // CHECK: linalg.add {{.*}} outs(%arg5
  // CHECK-NEXT: return
  linalg.add ins(%small, %small : memref<15xf32>, memref<15xf32>) outs(%small : memref<15xf32>)
  return
}

// -----

// Two that one operation updates are of one use, and so are those between whose uses others lie; a loop is over as a whole. Neighbours of
// which both together are no larger than the largest use are one.
// CHECK-LABEL: func.func @step
// CHECK-SAME: kernel.state_uses = array<i64: 0, 0, 0, 1, 1, 2>, kernel.state_window = 32768 : i64
// The largest has no room, and two others have.
// KEPT-LABEL: func.func @step
// KEPT-SAME: kernel.state_uses = array<i64: -1, -1, 0, 0, 0, 1>, kernel.state_window = 24576 : i64
func.func @step(%a: memref<16xf32> {kernel.state}, %b: memref<16xf32> {kernel.state}, %c: memref<16xf32> {kernel.state},
                %d: memref<16xf32> {kernel.state}, %e: memref<16xf32> {kernel.state}, %f: memref<48x64xf32> {kernel.state}, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 6 : i64} {
  linalg.add ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%b : memref<16xf32>)
  // CHECK: linalg.exp ins(%arg2
  // CHECK-NEXT: linalg.exp ins(%arg0
  // CHECK-NEXT: llvm.mlir.constant(0 : i64)
  linalg.exp ins(%c : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%a : memref<16xf32>)
  // CHECK: scf.for
  // CHECK: }
  // CHECK-NEXT: linalg.exp ins(%arg4
  // CHECK-NEXT: llvm.mlir.constant(1 : i64)
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    linalg.exp ins(%d : memref<16xf32>) outs(%d : memref<16xf32>)
  }
  linalg.exp ins(%e : memref<16xf32>) outs(%e : memref<16xf32>)
  // CHECK: linalg.exp ins(%arg5
  // CHECK-NEXT: llvm.mlir.constant(2 : i64)
  linalg.exp ins(%f : memref<48x64xf32>) outs(%f : memref<48x64xf32>)
  return
}

// -----

// While both large states stay in memory, three uses of small ones are there besides: 40 KiB instead of 44. One of the two alone saves nothing.
// CHECK-LABEL: func.func @step
// CHECK-SAME: kernel.state_uses = array<i64: -1, 0, 1, 2, 3, -1>, kernel.state_window = 12288 : i64
func.func @step(%large: memref<48x64xf32> {kernel.state}, %a: memref<1024xf32> {kernel.state}, %b: memref<1024xf32> {kernel.state},
                %c: memref<1024xf32> {kernel.state}, %d: memref<1024xf32> {kernel.state}, %larger: memref<64x64xf32> {kernel.state}, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 6 : i64} {
  linalg.exp ins(%large : memref<48x64xf32>) outs(%large : memref<48x64xf32>)
  linalg.exp ins(%a : memref<1024xf32>) outs(%a : memref<1024xf32>)
  linalg.exp ins(%b : memref<1024xf32>) outs(%b : memref<1024xf32>)
  linalg.exp ins(%c : memref<1024xf32>) outs(%c : memref<1024xf32>)
  linalg.exp ins(%d : memref<1024xf32>) outs(%d : memref<1024xf32>)
  linalg.exp ins(%larger : memref<64x64xf32>) outs(%larger : memref<64x64xf32>)
  return
}
