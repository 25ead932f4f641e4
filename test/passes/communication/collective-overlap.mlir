// What starts early, what is awaited late, and what stays as it is.
// RUN: dist-opt %s --collective-overlap --remarks=text 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: dist-opt %s --collective-overlap="kinds=all_gather,broadcast" | FileCheck %s --check-prefix=KINDS
// RUN: not dist-opt %s --collective-overlap="kinds=all_reduce,reduction" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: collective-overlap: 'reduction' is no kind of collective; kinds are all_gather, all_reduce, all_to_all, broadcast, gather, reduce, reduce_scatter, scatter

collective.group @world {size = 4 : i64}
collective.group @rows members(#collective.blocks<2>)
collective.group @columns members(#collective.strided<2>)

// Gradients %g2 (of the last layer, which is there first) and %g1: each starts after its producer, and that stands as
// early as it can. The optimizer of %g2 comes first, though it stands last.
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[W1:.*]]: tensor<4xf32>, %[[W2:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[X]], %[[W1]]
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[H]], %[[W2]]
// CHECK-NEXT: %[[G2:.*]] = arith.mulf %[[D]], %[[H]]
// CHECK-NEXT: %[[F2:.*]] = collective.async {
// CHECK-NEXT:   %[[R2:.*]] = collective.all_reduce mean %[[G2]] on @world : tensor<4xf32>
// CHECK-NEXT:   collective.yield %[[R2]] : tensor<4xf32>
// CHECK-NEXT: } : !collective.future<tensor<4xf32>>
// CHECK-NEXT: %[[E:.*]] = arith.mulf %[[D]], %[[W2]]
// CHECK-NEXT: %[[G1:.*]] = arith.mulf %[[E]], %[[X]]
// CHECK-NEXT: %[[F1:.*]] = collective.async {
// CHECK-NEXT:   collective.all_reduce mean %[[G1]] on @world
// CHECK:      } :
// CHECK-NEXT: %[[M:.*]] = arith.addf %[[E]], %[[E]]
// CHECK-NEXT: %[[A2:.*]] = collective.await %[[F2]] : !collective.future<tensor<4xf32>>
// CHECK-NEXT: %[[U2:.*]] = arith.subf %[[W2]], %[[A2]]
// CHECK-NEXT: %[[A1:.*]] = collective.await %[[F1]]
// CHECK-NEXT: %[[U1:.*]] = arith.subf %[[W1]], %[[A1]]
// CHECK-NEXT: return %[[U1]], %[[U2]], %[[M]]
// REMARK: collective-overlap.mlir:[[@LINE+9]]:{{.*}}all_reduce of 1 input runs beside {{[0-9]+}} operation
// KINDS-LABEL: func.func @step
// KINDS-NOT: collective.async
func.func @step(%x: tensor<4xf32>, %w1: tensor<4xf32>, %w2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %h = arith.mulf %x, %w1 : tensor<4xf32>
  %d = arith.mulf %h, %w2 : tensor<4xf32>
  %e = arith.mulf %d, %w2 : tensor<4xf32>
  %g1 = arith.mulf %e, %x : tensor<4xf32>
  %g2 = arith.mulf %d, %h : tensor<4xf32>
  %r1 = collective.all_reduce mean %g1 on @world : tensor<4xf32>
  %r2 = collective.all_reduce mean %g2 on @world : tensor<4xf32>
  %u1 = arith.subf %w1, %r1 : tensor<4xf32>
  %u2 = arith.subf %w2, %r2 : tensor<4xf32>
  %m = arith.addf %e, %e : tensor<4xf32>
  return %u1, %u2, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A bucket starts when the last of its inputs is there; all of it is awaited at once.
// KINDS-LABEL: func.func @bucket
// CHECK-LABEL: func.func @bucket
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[F:.*]] = collective.async {
// CHECK-NEXT:   %[[R:.*]]:2 = collective.all_reduce sum
// CHECK-NEXT:   collective.yield %[[R]]#0, %[[R]]#1 : tensor<4xf32>, tensor<4xf32>
// CHECK: arith.divf
// CHECK-NEXT: %[[A:.*]]:2 = collective.await %[[F]]
// CHECK-NEXT: arith.subf %[[A]]#0, %[[A]]#1
func.func @bucket(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = arith.mulf %x, %y : tensor<4xf32>
  %c = arith.divf %x, %y : tensor<4xf32>
  %b = arith.addf %x, %y : tensor<4xf32>
  %r:2 = collective.all_reduce sum %a, %b on @world : tensor<4xf32>, tensor<4xf32>
  %u = arith.subf %r#0, %r#1 : tensor<4xf32>
  return %u, %c : tensor<4xf32>, tensor<4xf32>
}

// What takes over all that another gives runs after it without the program; what has another use does not.
// CHECK-LABEL: func.func @chain
// CHECK: %[[F:.*]] = collective.async {
// CHECK-NEXT: %[[P:.*]] = collective.reduce_scatter
// CHECK-NEXT: %[[S:.*]] = collective.all_reduce sum %[[P]] on @columns
// CHECK-NEXT: %[[G:.*]] = collective.all_gather %[[S]] along 0 on @rows
// CHECK-NEXT: collective.yield %[[G]] : tensor<4xf32>
// CHECK: %[[G2:.*]] = collective.async {
// CHECK-NEXT: collective.reduce_scatter
// CHECK-NEXT: collective.yield
// CHECK: collective.await %[[G2]]
// CHECK: collective.async {
// CHECK-NEXT: collective.all_gather
func.func @chain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %p = collective.reduce_scatter sum %x along 0 on @rows : tensor<4xf32> -> tensor<2xf32>
  %s = collective.all_reduce sum %p on @columns : tensor<2xf32>
  %g = collective.all_gather %s along 0 on @rows : tensor<2xf32> -> tensor<4xf32>
  %p2 = collective.reduce_scatter sum %y along 0 on @rows : tensor<4xf32> -> tensor<2xf32>
  %w = arith.mulf %x, %y : tensor<4xf32>
  %v = arith.mulf %p2, %p2 : tensor<2xf32>
  %g2 = collective.all_gather %p2 along 0 on @rows : tensor<2xf32> -> tensor<4xf32>
  %z = arith.addf %w, %g : tensor<4xf32>
  return %z, %g2, %v : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// Updates that are gathered again (ZeRO): each waits for its own gradient only, and what is gathered is awaited at the end.
// CHECK-LABEL: func.func @sharded
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = collective.async {
// CHECK-NEXT: collective.reduce_scatter sum %[[X]]
// CHECK: %[[B:.*]] = collective.async {
// CHECK-NEXT: collective.reduce_scatter sum
// CHECK: collective.await %[[A]]
// CHECK-NEXT: arith.negf
// CHECK-NEXT: %[[C:.*]] = collective.async {
// CHECK-NEXT: collective.all_gather
// CHECK: collective.await %[[B]]
// CHECK-NEXT: arith.negf
// CHECK-NEXT: %[[D:.*]] = collective.all_gather
// CHECK-NEXT: %[[E:.*]] = collective.await %[[C]]
// CHECK-NEXT: return %[[E]], %[[D]]
func.func @sharded(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.mulf %x, %y : tensor<4xf32>
  %p = collective.reduce_scatter sum %x along 0 on @rows : tensor<4xf32> -> tensor<2xf32>
  %q = collective.reduce_scatter sum %z along 0 on @rows : tensor<4xf32> -> tensor<2xf32>
  %u = arith.negf %p : tensor<2xf32>
  %v = arith.negf %q : tensor<2xf32>
  %g = collective.all_gather %u along 0 on @rows : tensor<2xf32> -> tensor<4xf32>
  %h = collective.all_gather %v along 0 on @rows : tensor<2xf32> -> tensor<4xf32>
  return %g, %h : tensor<4xf32>, tensor<4xf32>
}

// Statistics in the middle of a pass are needed for what follows: what waits for them keeps its place.
// CHECK-LABEL: func.func @statistics
// CHECK: arith.negf
// CHECK-NEXT: %[[S:.*]] = collective.all_reduce mean
// CHECK-NEXT: arith.subf %{{.*}}, %[[S]]
// REMARK: collective-overlap.mlir:[[@LINE+5]]:{{.*}}all_reduce stays synchronous: its outcome is needed before anything else can be computed
// KINDS-LABEL: func.func @statistics
// KINDS-NOT: collective.async
func.func @statistics(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = arith.negf %x : tensor<4xf32>
  %m = collective.all_reduce mean %n on @world : tensor<4xf32>
  %c = arith.subf %n, %m : tensor<4xf32>
  %r = collective.all_reduce mean %c on @columns : tensor<4xf32>
  %d = arith.subf %r, %m : tensor<4xf32>
  return %d : tensor<4xf32>
}

// Operations with effects keep their order among each other.
// KINDS-LABEL: func.func @effects
// CHECK-LABEL: func.func @effects
// CHECK: collective.async
// CHECK: collective.await
// CHECK: memref.store
// CHECK: memref.load
// KINDS: collective.async {
// KINDS-NEXT: collective.broadcast
func.func @effects(%x: tensor<f32>, %m: memref<f32>) -> (f32, tensor<f32>) {
  %b = collective.broadcast %x from 0 on @world : tensor<f32>
  %w = arith.negf %x : tensor<f32>
  %v = tensor.extract %b[] : tensor<f32>
  memref.store %v, %m[] : memref<f32>
  %l = memref.load %m[] : memref<f32>
  return %l, %w : f32, tensor<f32>
}

// What stands in a branch or a loop is started and awaited there, so that it is if the branch is taken, in each turn.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: %{{.*}}: i1, %[[X:.*]]: tensor<4xf32>
// CHECK: scf.if
// CHECK-NEXT: %[[F:.*]] = collective.async {
// CHECK-NEXT:   collective.all_reduce sum %[[X]]
// CHECK: %[[T:.*]] = arith.negf %[[X]]
// CHECK-NEXT: %[[S:.*]] = collective.await %[[F]]
// CHECK-NEXT: arith.addf %[[S]], %[[T]]
// CHECK-NEXT: scf.yield
func.func @branch(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> tensor<4xf32> {
    %s = collective.all_reduce sum %x on @world : tensor<4xf32>
    %t = arith.negf %x : tensor<4xf32>
    %u = arith.addf %s, %t : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[SUM]]
// CHECK-NEXT: %[[F:.*]] = collective.async {
// CHECK-NEXT:   collective.all_reduce sum %[[N]]
// CHECK: %[[T:.*]] = math.exp %[[N]]
// CHECK-NEXT: %[[S:.*]] = collective.await %[[F]]
// CHECK-NEXT: arith.addf %[[S]], %[[T]]
// CHECK-NEXT: scf.yield
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = scf.for %i = %zero to %four step %one iter_args(%sum = %x) -> tensor<4xf32> {
    %n = arith.negf %sum : tensor<4xf32>
    %s = collective.all_reduce sum %n on @world : tensor<4xf32>
    %t = math.exp %n : tensor<4xf32>
    %u = arith.addf %s, %t : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @blocks
// CHECK-NOT: collective.async
// REMARK: collective-overlap.mlir:[[@LINE+4]]:{{.*}}all_reduce stays synchronous: branches between blocks lead to it
func.func @blocks(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^reduce, ^end(%x : tensor<4xf32>)
^reduce:
  %s = collective.all_reduce sum %x on @world : tensor<4xf32>
  %t = arith.negf %x : tensor<4xf32>
  %u = arith.addf %s, %t : tensor<4xf32>
  cf.br ^end(%u : tensor<4xf32>)
^end(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
}

// What is on memrefs, asynchronous already, or of no use stays.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: collective.all_reduce sum %{{.*}} into
// CHECK-NEXT: %[[F:.*]] = collective.async
// CHECK-NEXT: collective.all_reduce
// CHECK-NEXT: collective.yield
// CHECK-NEXT: }
// CHECK-NEXT: collective.all_reduce min
// CHECK-NEXT: arith.negf
// CHECK-NEXT: collective.await %[[F]]
// CHECK-NEXT: return
func.func @others(%m: memref<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  collective.all_reduce sum %m into %m on @world : memref<4xf32>
  %f = collective.async {
    %r = collective.all_reduce sum %x on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %unused = collective.all_reduce min %x on @world : tensor<4xf32>
  %n = arith.negf %x : tensor<4xf32>
  %a = collective.await %f : !collective.future<tensor<4xf32>>
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// What a collective does not need comes after its start, though it stands before it: the gradient of a weight, while that
// of the input travels.
// CHECK-LABEL: func.func @deferred
// CHECK-NEXT: %[[DX:.*]] = arith.mulf %arg0, %arg1
// CHECK-NEXT: %[[F:.*]] = collective.async {
// CHECK-NEXT:   collective.all_reduce sum %[[DX]]
// CHECK:      } :
// CHECK-NEXT: %[[DW:.*]] = arith.mulf %arg0, %arg2
// CHECK-NEXT: %[[R:.*]] = collective.await %[[F]]
// CHECK-NEXT: %[[U:.*]] = arith.mulf %[[R]], %arg1
// CHECK-NEXT: return %[[U]], %[[DW]]
func.func @deferred(%dy: tensor<4xf32>, %w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %dw = arith.mulf %dy, %x : tensor<4xf32>
  %dx = arith.mulf %dy, %w : tensor<4xf32>
  %r = collective.all_reduce sum %dx on @world : tensor<4xf32>
  %u = arith.mulf %r, %w : tensor<4xf32>
  return %u, %dw : tensor<4xf32>, tensor<4xf32>
}
