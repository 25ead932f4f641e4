// Large constants become bytes, which LLVM carries without an object for each row; small ones keep their elements.
// RUN: %python -c "print(open('%s').read().replace('ROWS', '00' * 4096).replace('DENSE', '0000803F' * 1023 + '00000040'))" > %t.mlir
// RUN: dist-opt %t.mlir --lower-to-llvm --mlir-elide-elementsattrs-if-larger=8 --mlir-elide-resource-strings-if-larger=1 | FileCheck %s

// 1024 rows of one element: an array of 1024 arrays before.
// CHECK-DAG: llvm.mlir.global private constant @resource(dense_resource<rows> : tensor<4096xi8>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<4096 x i8>
// CHECK-DAG: llvm.mlir.global private constant @dense(dense_resource<__elided__> : tensor<4096xi8>) {{.*}} : !llvm.array<4096 x i8>

// Too small, all elements equal, bits instead of bytes, no constant at all.
// CHECK-DAG: llvm.mlir.global private constant @small({{.*}} : tensor<4xf32>) {{.*}} : !llvm.array<4 x f32>
// CHECK-DAG: llvm.mlir.global private constant @equal(dense<1.0{{.*}}> : tensor<64x64xf32>) {{.*}} : !llvm.array<64 x array<64 x f32>>
// CHECK-DAG: llvm.mlir.global private @uninitialized() {{.*}} : !llvm.array<4096 x f32>
memref.global "private" constant @resource : memref<1024x1xf32> = dense_resource<rows>
memref.global "private" constant @dense : memref<2x512xf32> = dense<"0xDENSE">
memref.global "private" constant @small : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" constant @equal : memref<64x64xf32> = dense<1.0>
memref.global "private" @uninitialized : memref<4096xf32> = uninitialized

// Who reads them still gets a pointer, and finds elements behind it.
// CHECK: llvm.func internal @initialize
// CHECK: llvm.mlir.addressof @dense
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
func.func @initialize(%v: memref<f32> {llvm.noalias}, %arena: memref<0xi8> {llvm.noalias}, %context: !llvm.ptr)
    attributes {kernel.variables = 1 : i64, kernel.inputs = 0 : i64, kernel.results = 0 : i64} {
  %0 = memref.get_global @dense : memref<2x512xf32>
  %c1 = arith.constant 1 : index
  %1 = memref.load %0[%c1, %c1] : memref<2x512xf32>
  memref.store %1, %v[] : memref<f32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      rows: "0x04000000ROWS"
    }
  }
#-}
