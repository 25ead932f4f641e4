// Reductions over all ranks in each node and across nodes; what they leave uniform; what stays flat, and why.
// RUN: split-file %s %t
// RUN: dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=4" | FileCheck %t/eight.mlir
// RUN: dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=4" --distribute-print-uniformity -o /dev/null | FileCheck %t/eight.mlir --check-prefix=UNIFORM
// RUN: dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=4 min-bytes=4096" --remarks=text 2>&1 | FileCheck %t/eight.mlir --check-prefix=SMALL
// RUN: dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=8" --remarks=text 2>&1 | FileCheck %t/eight.mlir --check-prefix=ONE-NODE
// RUN: dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=1" --remarks=text 2>&1 | FileCheck %t/eight.mlir --check-prefix=ONE-RANK
// RUN: dist-opt %t/eight.mlir -o %t/eight.before.mlir
// RUN: dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=8" -o %t/eight.after.mlir
// RUN: cmp %t/eight.before.mlir %t/eight.after.mlir
// RUN: dist-opt %t/launched.mlir --collective-hierarchy | FileCheck %t/launched.mlir
// RUN: dist-opt %t/flat.mlir --collective-hierarchy="ranks-per-node=2" --remarks=text 2>&1 | FileCheck %t/flat.mlir
// RUN: not dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=3" 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: not dist-opt %t/eight.mlir --collective-hierarchy 2>&1 | FileCheck %s --check-prefix=TOPOLOGY
// RUN: not dist-opt %t/eight.mlir --collective-hierarchy="ranks-per-node=-2" 2>&1 | FileCheck %s --check-prefix=TOPOLOGY
// RUN: not dist-opt %t/unknown.mlir --collective-hierarchy="ranks-per-node=2" 2>&1 | FileCheck %s --check-prefix=RANKS
// DIVIDE: error: nodes of 3 ranks do not make up 8 ranks: hierarchical communication needs equally many ranks on each node
// TOPOLOGY: error: collective-hierarchy needs the number of ranks on each node: give ranks-per-node=L, or launch with dist-run, which finds it
// RANKS: error: collective-hierarchy needs the number of ranks: run specialize-world first, or let --distribute="..." put it off until launch

//--- eight.mlir
collective.group @world {size = 8 : i64}
// CHECK: collective.group @world {size = 8 : i64}
// CHECK-NEXT: collective.group @node members(#collective.blocks<4>)
// CHECK-NEXT: collective.group @across_nodes members(#collective.strided<4>)
// ONE-NODE-NOT: @node
// ONE-RANK-NOT: @node

// CHECK-LABEL: func.func @sum
// CHECK-SAME: (%[[A:.*]]: tensor<8x3xf32>)
// CHECK-NEXT: %[[P:.*]] = collective.reduce_scatter sum %[[A]] along 0 on @node : tensor<8x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[S:.*]] = collective.all_reduce sum %[[P]] on @across_nodes : tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = collective.all_gather %[[S]] along 0 on @node : tensor<2x3xf32> -> tensor<8x3xf32>
// CHECK-NEXT: return %[[R]]
// SMALL: remark: {{.*}}all_reduce stays flat: its 96 bytes are fewer than min-bytes=4096
// ONE-NODE: remark: {{.*}}all_reduce stays flat, as all do: there is one node
// ONE-RANK: remark: {{.*}}all_reduce stays flat, as all do: there is one rank on each node
func.func @sum(%a: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %r = collective.all_reduce sum %a on @world : tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// A bucket stays one. What cannot be cut in four is a row with zeros after; the mean divides once, at the end.
// CHECK-LABEL: func.func @bucket
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<3x2xf32>, %[[C:.*]]: tensor<f32>)
// CHECK-NEXT: %[[FB:.*]] = collective.flatten %[[B]] : tensor<3x2xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[FC:.*]] = collective.flatten %[[C]] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: %[[P:.*]]:3 = collective.reduce_scatter sum %[[A]], %[[FB]], %[[FC]] along 0 on @node : tensor<8xf32>, tensor<8xf32>, tensor<4xf32> -> tensor<2xf32>, tensor<2xf32>, tensor<1xf32>
// CHECK-NEXT: %[[S:.*]]:3 = collective.all_reduce sum %[[P]]#0, %[[P]]#1, %[[P]]#2 on @across_nodes
// CHECK-NEXT: %[[G:.*]]:3 = collective.all_gather %[[S]]#0, %[[S]]#1, %[[S]]#2 along 0 on @node
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<8.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %[[DA:.*]] = arith.divf %[[G]]#0, %[[N]] : tensor<8xf32>
// CHECK-NEXT: %[[UB:.*]] = collective.unflatten %[[G]]#1 : tensor<8xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %[[NB:.*]] = arith.constant dense<8.000000e+00> : tensor<3x2xf32>
// CHECK-NEXT: %[[DB:.*]] = arith.divf %[[UB]], %[[NB]] : tensor<3x2xf32>
// CHECK: return %[[DA]], %[[DB]], %
// UNIFORM-LABEL: @bucket
// UNIFORM: varying varying varying %{{.*}} = collective.all_reduce
// UNIFORM: uniform uniform uniform %{{.*}} = collective.all_gather
// UNIFORM-NOT: varying
func.func @bucket(%a: tensor<8xf32>, %b: tensor<3x2xf32>, %c: tensor<f32>) -> (tensor<8xf32>, tensor<3x2xf32>, tensor<f32>) {
  %r:3 = collective.all_reduce mean %a, %b, %c on @world : tensor<8xf32>, tensor<3x2xf32>, tensor<f32>
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<3x2xf32>, tensor<f32>
}

//--- launched.mlir
// What the launch found is relied on, and checked when the program starts.
// CHECK: collective.group @node members(#collective.per_node) {size = 2 : i64}
// CHECK: collective.group @across_nodes members(#collective.across_nodes) {size = 2 : i64}
module attributes {collective.ranks_per_node = 2 : i64} {
  collective.group @world {size = 4 : i64}
  func.func @max(%a: tensor<4xi32>) -> tensor<4xi32> {
    // CHECK: collective.reduce_scatter max
    // CHECK: collective.all_reduce max %{{.*}} on @across_nodes : tensor<2xi32>
    %r = collective.all_reduce max %a on @world : tensor<4xi32>
    return %r : tensor<4xi32>
  }
}

//--- flat.mlir
collective.group @world {size = 514 : i64}
collective.group @pairs members(#collective.blocks<2>)
// CHECK: remark: {{.*}}reduce_scatter stays flat: its parts are for all ranks, not for those of a node
// CHECK: remark: {{.*}}all_reduce stays flat: the shape of an input is not known
// CHECK: remark: {{.*}}all_reduce stays flat: it is asynchronous already; run collective-hierarchy before collective-overlap
// CHECK: remark: {{.*}}all_reduce stays flat: its element type does not have the number of ranks exactly, by which the mean divides
// CHECK-NOT: collective.reduce_scatter
func.func @flat(%a: tensor<?xf32>, %b: tensor<4xf32>, %c: tensor<4xbf16>, %m: memref<4xf32>) -> (tensor<?xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>) {
  %r = collective.all_reduce sum %a on @world : tensor<?xf32>
  %f = collective.async {
    %s = collective.all_reduce sum %b on @world : tensor<4xf32>
    collective.yield %s : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %s = collective.await %f : !collective.future<tensor<4xf32>>
  %t = collective.all_reduce mean %c on @world : tensor<4xbf16>
  %u = collective.all_reduce sum %b on @pairs : tensor<4xf32>
  collective.all_reduce sum %m into %m on @world : memref<4xf32>
  return %r, %s, %t, %u : tensor<?xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>
}

// CHECK-LABEL: func.func @scattered
func.func @scattered(%a: tensor<1028xf32>) -> tensor<2xf32> {
  // CHECK: collective.reduce_scatter sum %{{.*}} along 0 on @world
  %r = collective.reduce_scatter sum %a along 0 on @world : tensor<1028xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}

//--- unknown.mlir
collective.group @world
func.func @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = collective.all_reduce sum %a on @world : tensor<4xf32>
  return %r : tensor<4xf32>
}
