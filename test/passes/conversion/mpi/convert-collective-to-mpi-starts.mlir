// An entry that starts MPI by itself stays as it is.
// RUN: dist-opt %s --convert-collective-to-mpi | FileCheck %s

// CHECK-LABEL: func.func @main()
// CHECK-NEXT: call @before
// CHECK-NEXT: mpi.init
// CHECK-NEXT: mpi.finalize
// CHECK-NEXT: return
func.func private @before()
func.func @main() {
  call @before() : () -> ()
  mpi.init
  mpi.finalize
  return
}
