// Variables are gathered where they stand, unless something needs what was there before, or there is no room for the padding.
// RUN: dist-opt %s --lower-plan-memory | FileCheck %s

collective.group @world {size = 4 : i64}
collective.group @others {size = 4 : i64}

// CHECK-LABEL: @in_place
// CHECK-SAME: %[[PART:[a-z0-9]*]]: memref<2xf32>, %[[W:[a-z0-9]*]]: memref<2x4xf32>
func.func @in_place(%part: memref<2xf32>, %w: memref<2x4xf32>, %y: memref<2x4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK: kernel.copy_blocks
  kernel.copy_blocks(%w) into(%y) {bytes = 16 : i64} : (memref<2x4xf32>) -> memref<2x4xf32>
  // CHECK: %[[ROW:.*]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [8], strides: [1]
  // CHECK: collective.all_gather %[[PART]] into %[[ROW]]
  // CHECK-NOT: memref.copy
  %row = memref.alloc() : memref<8xf32>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32> -> memref<8xf32>
  %view = memref.reinterpret_cast %row to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<8xf32> to memref<2x4xf32>
  memref.copy %view, %w : memref<2x4xf32> to memref<2x4xf32>
  return
}

// CHECK-LABEL: @read_in_between
func.func @read_in_between(%part: memref<2xf32>, %w: memref<8xf32>, %y: memref<8xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %row = memref.alloc() : memref<8xf32>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32> -> memref<8xf32>
  kernel.copy_blocks(%w) into(%y) {bytes = 16 : i64} : (memref<8xf32>) -> memref<8xf32>
  // CHECK: memref.copy
  memref.copy %row, %w : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: @gathered_from_itself
func.func @gathered_from_itself(%w: memref<8xf32>, %first: index, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %row = memref.alloc() : memref<8xf32>
  %part = memref.subview %w[%first] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32, strided<[1], offset: ?>> -> memref<8xf32>
  // CHECK: memref.copy
  memref.copy %row, %w : memref<8xf32> to memref<8xf32>
  return
}

// The part of this rank lies where the whole has it; what is another rank's part must not be overwritten before it is sent.
// CHECK-LABEL: @own_part
// CHECK-SAME: %[[W:[a-z0-9]*]]: memref<2x4xf32>, %[[V:[a-z0-9]*]]: memref<8xf32>
func.func @own_part(%w: memref<2x4xf32>, %v: memref<8xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // CHECK: collective.all_gather %{{.*}}, %{{.*}} into %[[WROW:.*]], %[[VROW:.*]] along 0
  // CHECK: memref.copy %[[VROW]], %[[V]]
  // CHECK-NOT: memref.copy
  %two = arith.constant 2 : index
  %one = arith.constant 1 : index
  %rank = collective.rank on @world : index
  %own = arith.muli %rank, %two : index
  %other = arith.muli %rank, %one : index
  %flat = memref.reinterpret_cast %w to offset: [0], sizes: [8], strides: [1] : memref<2x4xf32> to memref<8xf32>
  %part = memref.subview %flat[%own] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  %shifted = memref.subview %v[%other] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  %wrow = memref.alloc() : memref<8xf32>
  %vrow = memref.alloc() : memref<8xf32>
  collective.all_gather %part, %shifted into %wrow, %vrow along 0 on @world : memref<2xf32, strided<[1], offset: ?>>, memref<2xf32, strided<[1], offset: ?>> -> memref<8xf32>, memref<8xf32>
  %view = memref.reinterpret_cast %wrow to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<8xf32> to memref<2x4xf32>
  memref.copy %view, %w : memref<2x4xf32> to memref<2x4xf32>
  memref.copy %vrow, %v : memref<8xf32> to memref<8xf32>
  return
}

// The number of this rank in another group says nothing about its part.
// CHECK-LABEL: @part_of_another_group
func.func @part_of_another_group(%w: memref<8xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %two = arith.constant 2 : index
  %rank = collective.rank on @others : index
  %own = arith.muli %rank, %two : index
  %part = memref.subview %w[%own] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  %row = memref.alloc() : memref<8xf32>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32, strided<[1], offset: ?>> -> memref<8xf32>
  // CHECK: memref.copy
  memref.copy %row, %w : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: @padded
func.func @padded(%part: memref<2xf32>, %w: memref<7xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %row = memref.alloc() : memref<8xf32>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32> -> memref<8xf32>
  %view = memref.reinterpret_cast %row to offset: [0], sizes: [7], strides: [1] : memref<8xf32> to memref<7xf32>
  // CHECK: memref.copy
  memref.copy %view, %w : memref<7xf32> to memref<7xf32>
  return
}

// CHECK-LABEL: @used_again
func.func @used_again(%part: memref<2xf32>, %w: memref<8xf32>, %y: memref<8xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %row = memref.alloc() : memref<8xf32>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32> -> memref<8xf32>
  // CHECK: memref.copy
  memref.copy %row, %w : memref<8xf32> to memref<8xf32>
  kernel.copy_blocks(%row) into(%y) {bytes = 16 : i64} : (memref<8xf32>) -> memref<8xf32>
  return
}

// CHECK-LABEL: @into_a_temporary
func.func @into_a_temporary(%part: memref<2xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %row = memref.alloc() : memref<8xf32>
  %other = memref.alloc() : memref<8xf32>
  collective.all_gather %part into %row along 0 on @world : memref<2xf32> -> memref<8xf32>
  // CHECK: memref.copy
  memref.copy %row, %other : memref<8xf32> to memref<8xf32>
  return
}
