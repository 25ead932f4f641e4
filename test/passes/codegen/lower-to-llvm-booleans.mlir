// Booleans lie in memory as bytes, and lanes of them are read as such: LLVM's vectors of i1 are packed.
// RUN: dist-opt %s --lower-loops --lower-to-llvm | FileCheck %s

#row = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
// CHECK-LABEL: llvm.func @sum_under_mask
func.func @sum_under_mask(%mask: memref<32xi1>, %x: memref<32xf32>, %sum: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
  // CHECK: %[[MASK:.*]] = llvm.trunc %[[BYTES]] : vector<16xi8> to vector<16xi1>
  // CHECK: llvm.select %[[MASK]]
  // CHECK-NOT: -> vector<16xi1>
  linalg.generic {indexing_maps = [#row, #row, #one], iterator_types = ["reduction"]}
      ins(%mask, %x : memref<32xi1>, memref<32xf32>) outs(%sum : memref<f32>) {
  ^bb0(%isIn: i1, %value: f32, %before: f32):
    %kept = arith.select %isIn, %value, %zero : f32
    %after = arith.addf %before, %kept : f32
    linalg.yield %after : f32
  }
  return
}
