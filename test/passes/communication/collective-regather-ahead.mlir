// Gathers run beside computation though one bucket has all gradients, and so all of the backward pass; and what fills a bucket alone is
// not joined with the small one before it, for which a step waits.
// RUN: dist-opt %s --collective-overlap | FileCheck %s --check-prefix=AHEAD
// RUN: dist-opt %s --collective-fuse="bucket-bytes=64" | FileCheck %s --check-prefix=FUSE

collective.group @world {size = 2 : i64}

// AHEAD-LABEL: func.func @step
// AHEAD-SAME: (%[[W0:.*]]: tensor<8xf32>, %[[W1:.*]]: tensor<8xf32>, %[[W2:.*]]: tensor<8xf32>, %[[X:.*]]: tensor<16xf32>)
// AHEAD-NEXT: %[[A2:.*]] = collective.all_gather %[[W2]]
// AHEAD-NEXT: %[[F1:.*]] = collective.async {
// AHEAD-NEXT:   collective.all_gather %[[W1]]
// AHEAD:      %[[H2:.*]] = arith.mulf %[[X]], %[[A2]]
// AHEAD-NEXT: %[[S:.*]] = arith.negf %[[X]]
// AHEAD-NEXT: %[[G2:.*]] = arith.addf %[[H2]], %[[S]]
// AHEAD-NEXT: %[[A1:.*]] = collective.await %[[F1]]
// AHEAD-NEXT: %[[F0:.*]] = collective.async {
// AHEAD-NEXT:   collective.all_gather %[[W0]]
// AHEAD:      %[[H1:.*]] = arith.mulf %[[H2]], %[[A1]]
// AHEAD-NEXT: %[[G1:.*]] = math.exp %[[H1]]
// AHEAD-NEXT: %[[A0:.*]] = collective.await %[[F0]]
// AHEAD-NEXT: %[[H0:.*]] = arith.mulf %[[H1]], %[[A0]]
// AHEAD-NEXT: %[[G0:.*]] = math.exp %[[H0]]
// AHEAD-NEXT: %[[R:.*]]:3 = collective.reduce_scatter mean %[[G2]], %[[G1]], %[[G0]]
// AHEAD-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @step(%w0: tensor<8xf32>, %w1: tensor<8xf32>, %w2: tensor<8xf32>, %x: tensor<16xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a2 = collective.all_gather %w2 along 0 on @world {collective.regather = 1 : i64} : tensor<8xf32> -> tensor<16xf32>
  %h2 = arith.mulf %x, %a2 : tensor<16xf32>
  %s = arith.negf %x : tensor<16xf32>
  %g2 = arith.addf %h2, %s : tensor<16xf32>
  %a1 = collective.all_gather %w1 along 0 on @world {collective.regather = 1 : i64} : tensor<8xf32> -> tensor<16xf32>
  %h1 = arith.mulf %h2, %a1 : tensor<16xf32>
  %g1 = math.exp %h1 : tensor<16xf32>
  %a0 = collective.all_gather %w0 along 0 on @world {collective.regather = 1 : i64} : tensor<8xf32> -> tensor<16xf32>
  %h0 = arith.mulf %h1, %a0 : tensor<16xf32>
  %g0 = math.exp %h0 : tensor<16xf32>
  %r:3 = collective.reduce_scatter mean %g2, %g1, %g0 along 0 on @world : tensor<16xf32>, tensor<16xf32>, tensor<16xf32> -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// FUSE-LABEL: func.func @forward
// FUSE-SAME: (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>, %[[LARGE:.*]]: tensor<8xf32>
// FUSE-NEXT: %[[SMALL:.*]]:2 = collective.all_gather %[[A]], %[[B]]
// FUSE-NEXT: math.exp %[[SMALL]]#0
// FUSE-NEXT: math.exp %[[SMALL]]#1
// FUSE-NEXT: %[[WHOLE:.*]] = collective.all_gather %[[LARGE]]
// FUSE-NEXT: math.exp %[[WHOLE]]
func.func @forward(%a: tensor<2xf32>, %b: tensor<2xf32>, %large: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) {
  %wa = collective.all_gather %a along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<4xf32>
  %ha = math.exp %wa : tensor<4xf32>
  %wb = collective.all_gather %b along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<4xf32>
  %hb = math.exp %wb : tensor<4xf32>
  %whole = collective.all_gather %large along 0 on @world {collective.regather = 0 : i64} : tensor<8xf32> -> tensor<16xf32>
  %h = math.exp %whole : tensor<16xf32>
  return %ha, %hb, %h : tensor<4xf32>, tensor<4xf32>, tensor<16xf32>
}
