// Collectives that the runtime cannot be called for.
// RUN: dist-opt %s --lower-to-llvm --split-input-file --verify-diagnostics

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<2x4xf32>, %b: memref<2x16xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{joins or cuts along axis 1, but buffers are joined and cut along axis 0 (run lower-collective-axes before bufferization)}}
  collective.all_gather %a into %b along 1 on @world : memref<2x4xf32> -> memref<2x16xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<2x4xf32>, %b: memref<2x1xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{joins or cuts along axis 1, but buffers are joined and cut along axis 0 (run lower-collective-axes before bufferization)}}
  collective.reduce_scatter sum %a into %b along 1 on @world : memref<2x4xf32> -> memref<2x1xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<8x4xf32>, %b: memref<8x4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{joins or cuts along axis 1, but buffers}}
  collective.all_to_all %a into %b split 1 concat 1 on @world : memref<8x4xf32>
  return
}

// -----

// How much of the buffer goes to one rank depends on the size of the group.
collective.group @node members(#collective.per_node)
func.func @step(%a: memref<8x4xf32>, %b: memref<8x4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+2 {{cannot be compiled: the size of @node is not known}}
  // expected-error @+1 {{failed to legalize}}
  collective.all_to_all %a into %b split 0 concat 0 on @node : memref<8x4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{is still there (run lower-futures before bufferization)}}
  %f = collective.async {
    collective.all_reduce sum %a into %a on @world : memref<4xf32>
  } : !collective.future
  collective.await %f : !collective.future
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<8x4xf32, strided<[8, 1]>>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{cannot be compiled: 'memref<8x4xf32, strided<[8, 1]>>' has gaps between its elements}}
  collective.all_reduce sum %a into %a on @world : memref<8x4xf32, strided<[8, 1]>>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @step(%a: memref<?xf32>, %peer: index, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
  // expected-error @+1 {{cannot be compiled: 'memref<?xf32>' has no static shape}}
  collective.send %a to %peer tag 0 on @world : memref<?xf32>
  return
}
