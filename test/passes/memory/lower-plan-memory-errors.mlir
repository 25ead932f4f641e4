// Buffers that cannot be planned.
// RUN: dist-opt %s --lower-plan-memory --split-input-file --verify-diagnostics

func.func @of_unknown_size(%n: index, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // expected-error @+1 {{cannot be planned: 'memref<?xf32>' has no static size}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @inside_iterations_that_may_run_together(%arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error @+1 {{cannot be planned: it stands inside 'scf.parallel', which may need several of its kind at the same time}}
    %a = memref.alloc() : memref<4xf32>
  }
  return
}

// -----

func.func @handed_to_the_next_iteration(%x: memref<4xf32>, %arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 iter_args(%last = %x) -> memref<4xf32> {
    // expected-error @+1 {{cannot be planned: an iteration hands it to the next, which would need another place for its own}}
    %next = memref.alloc() : memref<4xf32>
    kernel.copy_blocks(%last) into(%next) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32>
    scf.yield %next : memref<4xf32>
  }
  return
}

// -----

func.func @of_unknown_size_in_a_loop(%arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @+1 {{cannot be planned: 'memref<?xf32>' has no static size}}
    %a = memref.alloc(%i) : memref<?xf32>
  }
  return
}

// -----

// expected-error @+1 {{has no arena argument (run lower-bind-variables first)}}
func.func @without_an_arena(%x: memref<4xf32>) {
  return
}
