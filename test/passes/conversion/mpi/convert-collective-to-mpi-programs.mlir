// What is left is upstream's alone: no roles, no groups. The entry starts and ends MPI.
// RUN: dist-opt %s --convert-collective-to-mpi="implementation=OpenMPI" | FileCheck %s --check-prefixes=CHECK,MAIN --implicit-check-not="train." --implicit-check-not="collective."
// RUN: dist-opt %s --convert-collective-to-mpi="implementation=OpenMPI" | mlir-opt - -o %t.mlir
// RUN: dist-opt %s --convert-collective-to-mpi="implementation=MPICH entry=step" | FileCheck %s --check-prefixes=STEP
// RUN: dist-opt %s --convert-collective-to-mpi="entry=nobody" | FileCheck %s --check-prefixes=NOBODY --implicit-check-not="mpi.init"

// MAIN: module attributes {dlti.map = #dlti.map<"other" = 1 : i64, "MPI:Implementation" = "OpenMPI">}
// STEP: module attributes {dlti.map = #dlti.map<"other" = 1 : i64, "MPI:Implementation" = "MPICH">}
// NOBODY: module attributes {dlti.map = #dlti.map<"other" = 1 : i64, "MPI:Implementation" = "other">}
module attributes {train.program, dlti.map = #dlti.map<"other" = 1, "MPI:Implementation" = "other">} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}

  // CHECK: func.func @step(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32> {llvm.noalias}) -> memref<4xf32> {
  // STEP: func.func @step
  // STEP: mpi.init
  // STEP: mpi.finalize
  // NOBODY: func.func @step
  func.func @step(%w: memref<4xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: memref<4xf32> {llvm.noalias, train.input = #train.input<"x", @data>})
      -> (memref<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    collective.all_reduce sum %x into %x on @world {collective.distinct} : memref<4xf32>
    return %w : memref<4xf32>
  }

  // MAIN-LABEL: func.func @main()
  // MAIN-NEXT: mpi.init
  // MAIN: %[[RANK:.*]] = mpi.comm_rank
  // MAIN: %[[RANKS:.*]] = arith.constant 4 : i32
  // MAIN: %[[BELOW:.*]] = arith.cmpi slt, %[[RANK]], %[[RANKS]] : i32
  // MAIN: cf.assert %[[BELOW]], "this program is for 4 ranks, and more were started
  // MAIN: call @step
  // MAIN-NEXT: mpi.finalize
  // MAIN-NEXT: return
  func.func @main() {
    %w = memref.alloc() : memref<4xf32>
    %x = memref.alloc() : memref<4xf32>
    %new = call @step(%w, %x) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
    return
  }
}
