// How the runtime calls a program: arrays of pointers become arguments, in the order of include/tutti/program.h.
// RUN: dist-opt %s --lower-to-llvm | FileCheck %s

// @initialize has no inputs: variables, results, arena.
// CHECK: llvm.func internal @initialize(
// CHECK: llvm.func @tutti_initialize(%[[CONTEXT:.*]]: !llvm.ptr, %[[VARIABLES:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) -> i32
// CHECK-NEXT: %[[V0:.*]] = llvm.getelementptr %[[VARIABLES]][0]
// CHECK-NEXT: %[[W:.*]] = llvm.load %[[V0]]
// CHECK-NEXT: %[[V1:.*]] = llvm.getelementptr %[[VARIABLES]][1]
// CHECK-NEXT: %[[M:.*]] = llvm.load %[[V1]]
// CHECK-NEXT: llvm.call @initialize(%[[W]], %[[M]], %[[ARENA]], %[[CONTEXT]])
// CHECK-NEXT: %[[STATUS:.*]] = llvm.call @tutti_context_status(%[[CONTEXT]])
// CHECK-NEXT: llvm.return %[[STATUS]]
func.func @initialize(%w: memref<4xf32>, %m: memref<4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 2 : i64, kernel.inputs = 0 : i64, kernel.results = 0 : i64} {
  return
}

// CHECK: llvm.func internal @step(
// CHECK: llvm.func @tutti_step(%[[CONTEXT:.*]]: !llvm.ptr, %[[VARIABLES:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) -> i32
// CHECK-NEXT: llvm.getelementptr %[[VARIABLES]][0]
// CHECK-NEXT: %[[W:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %[[VARIABLES]][1]
// CHECK-NEXT: %[[M:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %[[INPUTS]][0]
// CHECK-NEXT: %[[X:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %[[INPUTS]][1]
// CHECK-NEXT: %[[Y:.*]] = llvm.load
// CHECK-NEXT: llvm.getelementptr %[[RESULTS]][0]
// CHECK-NEXT: %[[LOSS:.*]] = llvm.load
// CHECK-NEXT: llvm.call @step(%[[W]], %[[M]], %[[X]], %[[Y]], %[[LOSS]], %[[ARENA]], %[[CONTEXT]])
func.func @step(%w: memref<4xf32>, %m: memref<4xf32>, %x: memref<2x4xf32>, %y: memref<2xi64>, %loss: memref<f32>, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 2 : i64, kernel.inputs = 2 : i64, kernel.results = 1 : i64} {
  return
}

// CHECK: llvm.func internal @evaluate(
// CHECK: llvm.func @tutti_evaluate(%{{.*}}: !llvm.ptr, %[[VARIABLES:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK-NEXT: llvm.getelementptr %[[VARIABLES]][0]
// CHECK: llvm.getelementptr %[[INPUTS]][0]
func.func @evaluate(%w: memref<4xf32>, %x: memref<2x4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr)
    attributes {kernel.variables = 1 : i64, kernel.inputs = 1 : i64, kernel.results = 0 : i64} {
  return
}

// What the program calls itself has no entry point, and may be called from outside.
// CHECK: llvm.func @helper(
// CHECK-NOT: @tutti_helper
func.func @helper(%x: memref<4xf32>, %context: !llvm.ptr) {
  return
}
