// Large constants go out of the program: their addresses are in a table that the host fills.
// RUN: %python -c "print(open('%s').read().replace('LARGE', '00' * 65540).replace('SMALL', '00' * 64).replace('DENSE', '0000803F' * 20000))" > %t.mlir
// RUN: dist-opt %t.mlir --take-values-out --mlir-elide-elementsattrs-if-larger=8 --mlir-elide-resource-strings-if-larger=1 | FileCheck %s
// RUN: dist-opt %t.mlir --take-values-out=larger-than=1000000 --mlir-elide-elementsattrs-if-larger=8 --mlir-elide-resource-strings-if-larger=1 | FileCheck %s --check-prefix=NONE

// In the order of the table: what @initialize alone uses, what the step uses, what both use, what nobody uses.
// CHECK: module attributes {kernel.values = [
// CHECK-SAME: {bytes = 65540 : i64, initial = true, name = "first"},
// CHECK-SAME: {bytes = 65540 : i64, initial = false, name = "frozen"},
// CHECK-SAME: {bytes = 65540 : i64, initial = false, name = "shared"},
// CHECK-SAME: {bytes = 65540 : i64, initial = true, name = "unused"}]}
// CHECK: llvm.mlir.global external @tutti_values() {{.*}} : !llvm.array<4 x ptr> {
// CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.array<4 x ptr>
// CHECK-NEXT: llvm.return %[[ZERO]]
// CHECK-NOT: @first
// CHECK-NOT: @frozen
// CHECK-NOT: @shared
// CHECK-NOT: @unused

// Small ones stay, as do those that are not resources and those that are written.
// CHECK: llvm.mlir.global private constant @small
// CHECK: llvm.mlir.global private constant @dense
// CHECK: llvm.mlir.global private @state
// NONE-NOT: kernel.values
// NONE-NOT: tutti_values
// NONE: llvm.mlir.global private constant @first
llvm.mlir.global private constant @first(dense_resource<first> : tensor<65540xi8>) {alignment = 64 : i64} : !llvm.array<65540 x i8>
llvm.mlir.global private constant @frozen(dense_resource<frozen> : tensor<65540xi8>) {alignment = 64 : i64} : !llvm.array<65540 x i8>
llvm.mlir.global private constant @shared(dense_resource<shared> : tensor<65540xi8>) {alignment = 64 : i64} : !llvm.array<65540 x i8>
llvm.mlir.global private constant @unused(dense_resource<unused> : tensor<65540xi8>) {alignment = 64 : i64} : !llvm.array<65540 x i8>
llvm.mlir.global private constant @small(dense_resource<small> : tensor<60xi8>) {alignment = 64 : i64} : !llvm.array<60 x i8>
llvm.mlir.global private constant @dense(dense<"0xDENSE"> : tensor<20000xf32>) {alignment = 64 : i64} : !llvm.array<20000 x f32>
llvm.mlir.global private @state(dense_resource<state> : tensor<65540xi8>) {alignment = 64 : i64} : !llvm.array<65540 x i8>

// CHECK: llvm.func internal @initialize
// CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @tutti_values : !llvm.ptr
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[TABLE]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[FIRST:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
// CHECK: "llvm.intr.memcpy"(%{{.*}}, %[[FIRST]], %{{.*}})
// CHECK: llvm.getelementptr %{{.*}}[2]
llvm.func internal @initialize(%v: !llvm.ptr, %w: !llvm.ptr) {
  %n = llvm.mlir.constant(65540 : i64) : i64
  %0 = llvm.mlir.addressof @first : !llvm.ptr
  "llvm.intr.memcpy"(%v, %0, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %1 = llvm.mlir.addressof @shared : !llvm.ptr
  "llvm.intr.memcpy"(%w, %1, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

// CHECK: llvm.func internal @step
// CHECK: llvm.getelementptr %{{.*}}[1]
// CHECK: llvm.getelementptr %{{.*}}[2]
llvm.func internal @step(%v: !llvm.ptr, %w: !llvm.ptr) {
  %n = llvm.mlir.constant(65540 : i64) : i64
  %0 = llvm.mlir.addressof @frozen : !llvm.ptr
  "llvm.intr.memcpy"(%v, %0, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %1 = llvm.mlir.addressof @shared : !llvm.ptr
  "llvm.intr.memcpy"(%w, %1, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

{-#
  dialect_resources: {
    builtin: {
      first: "0x40000000LARGE",
      frozen: "0x40000000LARGE",
      shared: "0x40000000LARGE",
      unused: "0x40000000LARGE",
      small: "0x40000000SMALL",
      state: "0x40000000LARGE"
    }
  }
#-}
