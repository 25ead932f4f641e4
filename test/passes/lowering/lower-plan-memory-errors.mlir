// Buffers that cannot be planned.
// RUN: dist-opt %s --lower-plan-memory --split-input-file --verify-diagnostics

func.func @of_unknown_size(%n: index, %arena: memref<?xi8>, %context: !llvm.ptr) {
  // expected-error @+1 {{cannot be planned: 'memref<?xf32>' has no static size}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @inside_a_loop(%arena: memref<?xi8>, %context: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{cannot be planned: it stands inside another op}}
    %a = memref.alloc() : memref<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{has no arena argument (run lower-bind-variables first)}}
func.func @without_an_arena(%x: memref<4xf32>) {
  return
}
