// Gathers that are made again for another use: two of one part stay two, buckets of them stand where the first is needed, and each begins
// when the one before it is awaited.
// RUN: dist-opt %s --cse | FileCheck %s --check-prefix=APART
// RUN: dist-opt %s --collective-fuse="bucket-bytes=64" | FileCheck %s --check-prefix=FUSE
// RUN: dist-opt %s --collective-fuse="indices=0" | FileCheck %s --check-prefix=MAIN
// RUN: dist-opt %s --collective-overlap | FileCheck %s --check-prefix=AHEAD

collective.group @world {size = 2 : i64}

// APART-LABEL: func.func @step
// APART-COUNT-4: collective.all_gather
// APART-NOT: collective.all_gather
// APART: return

// What stands side by side, for one operation, is one bucket however large; what is full is one of its own.
// FUSE-LABEL: func.func @step
// FUSE-SAME: %[[A:[a-z0-9]*]]: tensor<8xf32>, %[[B:[a-z0-9]*]]: tensor<4xf32>, %[[C:[a-z0-9]*]]: tensor<8xf32>, %[[X:[a-z0-9]*]]: tensor<16xf32>
// FUSE: math.exp %[[X]]
// FUSE-NEXT: %[[AB:.*]]:2 = collective.all_gather %[[A]], %[[B]] along 0 on @world {collective.regather = 0 : i64}
// FUSE: arith.mulf %{{.*}}, %[[AB]]#0
// FUSE: %[[LATE:.*]] = collective.all_gather %[[C]] along 0 on @world {collective.regather = 0 : i64}
// FUSE-NEXT: arith.mulf %{{.*}}, %[[LATE]]
// FUSE: collective.all_gather %[[A]] along 0 on @world {collective.regather = 1 : i64}
// FUSE: collective.reduce_scatter

// Indices are of the gradients, though more is gathered.
// MAIN: collective.all_gather %{{.*}}, %{{.*}} along 0
// MAIN-NOT: error

// AHEAD-LABEL: func.func @step
// AHEAD-SAME: %[[A:[a-z0-9]*]]: tensor<8xf32>, %[[B:[a-z0-9]*]]: tensor<4xf32>, %[[C:[a-z0-9]*]]: tensor<8xf32>
// AHEAD: collective.async
// AHEAD-NEXT: collective.all_gather %[[A]] {{.*}}regather = 0
// AHEAD: math.exp
// AHEAD: collective.await
// AHEAD-NEXT: collective.async
// AHEAD-NEXT: collective.all_gather %[[B]]
// AHEAD: collective.await
// AHEAD-NEXT: collective.async
// AHEAD-NEXT: collective.all_gather %[[C]]
// AHEAD: arith.addf
// AHEAD: collective.await
// AHEAD-NEXT: collective.async
// AHEAD-NEXT: collective.all_gather %[[A]] {{.*}}regather = 1
// AHEAD: arith.mulf
// AHEAD: collective.reduce_scatter
// The first is awaited when the next starts, not at the end.
// AHEAD: collective.reduce_scatter
// AHEAD: } : !collective.future<tensor<8xf32>>
// AHEAD-NEXT: collective.await
// AHEAD: math.exp
// AHEAD: collective.await
// AHEAD: return
func.func @step(%a: tensor<8xf32>, %b: tensor<4xf32>, %c: tensor<8xf32>, %x: tensor<16xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>) {
  %h0 = math.exp %x : tensor<16xf32>
  %a0 = collective.all_gather %a along 0 on @world {collective.regather = 0 : i64} : tensor<8xf32> -> tensor<16xf32>
  %b0 = collective.all_gather %b along 0 on @world {collective.regather = 0 : i64} : tensor<4xf32> -> tensor<8xf32>
  %h1 = arith.mulf %h0, %a0 : tensor<16xf32>
  %s = arith.addf %b0, %b0 : tensor<8xf32>
  %c0 = collective.all_gather %c along 0 on @world {collective.regather = 0 : i64} : tensor<8xf32> -> tensor<16xf32>
  %h2 = arith.mulf %h1, %c0 : tensor<16xf32>
  %g2 = collective.reduce_scatter mean %h2 along 0 on @world : tensor<16xf32> -> tensor<8xf32>
  %a1 = collective.all_gather %a along 0 on @world {collective.regather = 1 : i64} : tensor<8xf32> -> tensor<16xf32>
  %h3 = arith.mulf %h2, %a1 : tensor<16xf32>
  %g3 = collective.reduce_scatter mean %h3 along 0 on @world : tensor<16xf32> -> tensor<8xf32>
  %h4 = math.exp %h3 : tensor<16xf32>
  return %g2, %g3, %h4, %s : tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>
}
