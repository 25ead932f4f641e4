// Collectives that StableHLO cannot say.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --convert-collective-to-stablehlo

collective.group @world {size = 2 : i64}
func.func @waits() {
  // expected-error @+1 {{StableHLO has no equal of this; it has all_reduce, reduce_scatter, all_gather, all_to_all, broadcast and permutations of tensors}}
  collective.barrier on @world
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @on_memrefs(%a: memref<8xf32>) {
  // expected-error @+1 {{StableHLO has no equal of this}}
  collective.all_reduce sum %a into %a on @world : memref<8xf32>
  return
}

// -----

collective.group @world
func.func @unknown_world(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the number of ranks is not known: give @world a size}}
  %0 = collective.all_reduce sum %a on @world : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 4 : i64}
collective.group @node members(#collective.per_node)
func.func @nodes(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the ranks of @node are known only when the program runs}}
  %0 = collective.all_reduce sum %a on @node : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 3 : i64}
collective.group @uneven members(#collective.ranks<[[0, 1], [2]]>)
func.func @uneven_mean(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{is a mean over sets that have no one size that is known}}
  %0 = collective.all_reduce mean %a on @uneven : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 3 : i64}
collective.group @two members(#collective.ranks<[[0, 1]]>)
func.func @partial_broadcast(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{not every rank is in a set of @two: there, StableHLO would give zeros}}
  %0 = collective.broadcast %a from 0 on @two : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 2 : i64}
func.func @counts(%a: tensor<8xf32>, %c: tensor<2x2xi64>) -> tensor<8xf32> {
  // expected-error @+1 {{is no collective_permute, which is all that StableHLO has}}
  %0 = collective.all_to_all_vc %a into %a counts(%c) on @world : tensor<8xf32>, tensor<8xf32>, tensor<2x2xi64>
  return %0 : tensor<8xf32>
}

// -----

collective.group @world {size = 2 : i64}
func.func @dependent(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{runs several operations that depend on one another, or a mean, which is two}}
  %f = collective.async {
    %0 = collective.reduce_scatter sum %a along 0 on @world : tensor<8xf32> -> tensor<4xf32>
    %1 = collective.all_gather %0 along 0 on @world : tensor<4xf32> -> tensor<8xf32>
    collective.yield %1 : tensor<8xf32>
  } : !collective.future<tensor<8xf32>>
  %r = collective.await %f : !collective.future<tensor<8xf32>>
  return %r : tensor<8xf32>
}
