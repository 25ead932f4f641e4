// Collectives that the runtime cannot be called for.
// RUN: dist-opt %s --lower-to-llvm --split-input-file --verify-diagnostics

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<2x4xf32>, %b: memref<2x16xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{can be compiled along axis 0 only, not along 1}}
  collective.all_gather %a into %b along 1 on @world : memref<2x4xf32> -> memref<2x16xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<2x4xf32>, %b: memref<2x1xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{can be compiled along axis 0 only, not along 1}}
  collective.reduce_scatter sum %a into %b along 1 on @world : memref<2x4xf32> -> memref<2x1xf32>
  return
}
