// What becomes a bucket, in which order, and where it stands.
// RUN: dist-opt %s --collective-fuse --split-input-file | FileCheck %s

collective.group @world

// In the order in which they are ready, where the last of them is.
// CHECK-LABEL: func.func @in_order_of_readiness
func.func @in_order_of_readiness(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = arith.addf
  %a = arith.addf %x, %x : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = arith.mulf
  %b = arith.mulf %a, %x : tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = arith.mulf
  %c = arith.mulf %b, %x : tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]]:3 = collective.all_reduce mean %[[A]], %[[B]], %[[C]] on @world : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: arith.subf
  %later = arith.subf %c, %x : tensor<4xf32>
  %rc = collective.all_reduce mean %c on @world : tensor<4xf32>
  %ra = collective.all_reduce mean %a on @world : tensor<4xf32>
  %rb = collective.all_reduce mean %b on @world : tensor<4xf32>
  // CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2
  return %ra, %rb, %rc, %later : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Of those that are ready at once the name decides.
// CHECK-LABEL: func.func @in_order_of_names
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<8xf32>)
func.func @in_order_of_names(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // CHECK: collective.broadcast %[[Y]], %[[X]] from 1 on @world : tensor<8xf32>, tensor<4xf32>
  %0 = collective.broadcast %x from 1 on @world : tensor<4xf32> loc("second")
  %1 = collective.broadcast %y from 1 on @world : tensor<8xf32> loc("first")
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// -----

collective.group @world {size = 4 : i64}

// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<32xf32>, tensor<16xf32>) {
  // CHECK-DAG: collective.reduce_scatter sum %{{.*}}, %{{.*}} along 0 on @world : tensor<8xf32>, tensor<4xf32> -> tensor<2xf32>, tensor<1xf32>
  // CHECK-DAG: collective.all_gather %{{.*}}, %{{.*}} along 0 on @world : tensor<8xf32>, tensor<4xf32> -> tensor<32xf32>, tensor<16xf32>
  %0 = collective.reduce_scatter sum %x along 0 on @world : tensor<8xf32> -> tensor<2xf32>
  %1 = collective.all_gather %x along 0 on @world : tensor<8xf32> -> tensor<32xf32>
  %2 = collective.reduce_scatter sum %y along 0 on @world : tensor<4xf32> -> tensor<1xf32>
  %3 = collective.all_gather %y along 0 on @world : tensor<4xf32> -> tensor<16xf32>
  return %0, %2, %1, %3 : tensor<2xf32>, tensor<1xf32>, tensor<32xf32>, tensor<16xf32>
}

// -----

// One key: what differs in any of it is not fused.
collective.group @world
collective.group @pairs members(#collective.blocks<2>)

// CHECK-LABEL: func.func @nothing_in_common
func.func @nothing_in_common(%x: tensor<4xf32>, %h: tensor<4xf16>, %m: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-COUNT-10: {{collective.[a-z_]+ (mean |sum )?%[^,]+ (on|from|along)}}
  // CHECK-NOT: = collective
  // CHECK: return
  %0 = collective.all_reduce mean %x on @world : tensor<4xf32>
  %1 = collective.all_reduce sum %x on @world : tensor<4xf32>
  %2 = collective.all_reduce sum %x on @pairs : tensor<4xf32>
  %3 = collective.all_reduce sum %x on @world {device = "npu:0"} : tensor<4xf32>
  %4 = collective.all_reduce sum %h on @world : tensor<4xf16>
  %narrow = arith.truncf %x {collective.wire} : tensor<4xf32> to tensor<4xf16>
  %5 = collective.all_reduce sum %narrow on @world : tensor<4xf16>
  %6 = collective.broadcast %x from 0 on @world : tensor<4xf32>
  %7 = collective.broadcast %x from 1 on @world : tensor<4xf32>
  %8 = collective.reduce_scatter sum %m along 0 on @world : tensor<4x4xf32>
  %9 = collective.reduce_scatter sum %m along 1 on @world : tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What one computes for the other, by way of whatever, is never its companion; what is needed at once does not keep
// others from waiting for each other, as statistics of a normalization among gradients.
collective.group @world

// CHECK-LABEL: func.func @needed_at_once
func.func @needed_at_once(%g: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[G1:.*]] = arith.negf %{{.*}} : tensor<4xf32>
  %g1 = arith.negf %g : tensor<4xf32>
  %r1 = collective.all_reduce sum %g1 on @world : tensor<4xf32>
  // CHECK: %[[S1:.*]] = collective.all_reduce sum %{{[a-z0-9]*}} on @world
  %s1 = collective.all_reduce sum %s on @world : tensor<4xf32>
  // CHECK: %[[G2:.*]] = arith.mulf %[[S1]]
  %g2 = arith.mulf %s1, %g : tensor<4xf32>
  // CHECK: %[[S2:.*]] = collective.all_reduce sum %[[G2]] on @world
  %s2 = collective.all_reduce sum %g2 on @world : tensor<4xf32>
  // CHECK: %[[G3:.*]] = arith.mulf %[[S2]]
  %g3 = arith.mulf %s2, %g : tensor<4xf32>
  // CHECK: collective.all_reduce sum %[[G1]], %[[G3]] on @world
  %r3 = collective.all_reduce sum %g3 on @world : tensor<4xf32>
  return %r1, %r3, %g2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Each in its own block.
// CHECK-LABEL: func.func @in_a_branch
func.func @in_a_branch(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: scf.if
  %r:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %y = arith.addf %x, %x : tensor<4xf32>
    // CHECK: collective.all_reduce sum %{{[a-z0-9]*}}, %{{[a-z0-9]*}} on
    %0 = collective.all_reduce sum %x on @world : tensor<4xf32>
    %1 = collective.all_reduce sum %y on @world : tensor<4xf32>
    scf.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: collective.all_reduce sum %{{[a-z0-9#]*}} on
  %2 = collective.all_reduce sum %r#0 on @world : tensor<4xf32>
  return %2, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Nothing to do: buckets stay, and so does what is asynchronous, on memrefs, or of another kind.
collective.group @world

// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%x: tensor<4xf32>, %y: tensor<4xf32>, %m: memref<4xf32>, %d: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]]:2 = collective.all_reduce sum %{{.*}}, %{{.*}} on @world
  %0:2 = collective.all_reduce sum %x, %y on @world : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[F:.*]] = collective.async
  // CHECK-NEXT: collective.all_reduce
  %future = collective.async {
    %r = collective.all_reduce sum %x on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK: collective.all_reduce sum %{{.*}} into
  collective.all_reduce sum %m into %m on @world : memref<4xf32>
  // CHECK: collective.reduce sum
  %1 = collective.reduce sum %y to 0 on @world : tensor<4xf32>
  // CHECK: collective.all_reduce sum %{{.*}} on @world : tensor<?xf32>
  %2 = collective.all_reduce sum %d on @world : tensor<?xf32>
  %3 = collective.await %future : !collective.future<tensor<4xf32>>
  // CHECK: collective.all_reduce sum %{{.*}} on @world : tensor<4xf32>
  %4 = collective.all_reduce sum %y on @world : tensor<4xf32>
  return %0#0, %0#1, %1, %3, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>
}

// -----

collective.group @world {size = 4 : i64}
collective.group @rows members(#collective.blocks<2>) {size = 2 : i64}
collective.group @columns members(#collective.strided<2>) {size = 2 : i64}

// What gives an input may be a bucket by then: the second one begins after the last that is there.
// CHECK-LABEL: func.func @buckets_of_buckets
func.func @buckets_of_buckets(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]]:2 = collective.all_gather %arg0, %arg1 along 0 on @columns
  %a = collective.all_gather %x along 0 on @columns : tensor<2xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]]#0
  %b = arith.addf %a, %a : tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]]:2 = collective.all_gather %[[B]], %[[A]]#1 along 0 on @rows
  %c = collective.all_gather %b along 0 on @rows : tensor<4xf32> -> tensor<8xf32>
  %d = collective.all_gather %y along 0 on @columns : tensor<2xf32> -> tensor<4xf32>
  %e = collective.all_gather %d along 0 on @rows : tensor<4xf32> -> tensor<8xf32>
  // CHECK-NEXT: arith.addf %[[C]]#0
  %f = arith.addf %c, %z : tensor<8xf32>
  // CHECK-NEXT: arith.addf %[[C]]#1
  %g = arith.addf %e, %z : tensor<8xf32>
  return %f, %g : tensor<8xf32>, tensor<8xf32>
}
