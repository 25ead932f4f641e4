// What the shard dialect cannot say.
// RUN: dist-opt %s --convert-collective-to-shard --split-input-file --verify-diagnostics

collective.group @world
func.func @unknown_world(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the number of ranks is not known: give the world a size, for example with specialize-world}}
  %0 = collective.all_reduce sum %a on @world : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 4 : i64}
collective.group @odd members(#collective.ranks<[[0, 2, 3]]>)
func.func @no_axes(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the sets of @odd lie along no axes of the grid; give another shape of 4 processes with the option shape}}
  %0 = collective.all_reduce sum %a on @odd : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 4 : i64}
func.func @waits() {
  // expected-error @+1 {{the shard dialect has no equal of this; it has collectives on tensors, ranks, sizes, and messages with tag 0}}
  collective.barrier on @world
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @on_memrefs(%a: memref<8xf32>) {
  // expected-error @+1 {{the shard dialect has no equal of this}}
  collective.all_reduce sum %a into %a on @world : memref<8xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @tagged(%a: tensor<8xf32>, %p: index) {
  // expected-error @+1 {{the shard dialect has no equal of this}}
  collective.send %a to %p tag 7 on @world : tensor<8xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @about_nodes() -> index {
  // expected-error @+1 {{the shard dialect has no equal of this}}
  %0 = collective.local_rank : index
  return %0 : index
}
