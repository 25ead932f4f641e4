// The places and lives of buffers, for people: the largest first, by the nodes that they are of.
// RUN: dist-opt %s --pass-pipeline="builtin.module(func.func(lower-plan-memory{record-layout=true}))" --mlir-print-debuginfo | FileCheck %s
// RUN: dist-opt %s --lower-plan-memory | FileCheck %s --check-prefix=QUIET
// QUIET-NOT: kernel.arena_layout

// CHECK: kernel.arena_bytes = 192
// CHECK-SAME: kernel.arena_layout =
// CHECK-SAME: ["relu", array<i64: 128, {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}>]
// CHECK-SAME: ["bias", array<i64: 64, {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}>]
func.func @step(%source: memref<32xf32>, %less: memref<16xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %small = memref.alloc() : memref<16xf32> loc("bias")
  memref.copy %less, %small : memref<16xf32> to memref<16xf32>
  %large = memref.alloc() : memref<32xf32> loc("relu")
  memref.copy %source, %large : memref<32xf32> to memref<32xf32>
  memref.copy %small, %less : memref<16xf32> to memref<16xf32>
  memref.copy %large, %source : memref<32xf32> to memref<32xf32>
  return
}
