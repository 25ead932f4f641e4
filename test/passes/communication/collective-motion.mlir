// What no pass moves a collective past, and what none rewrites: groups that are made and ended, messages, barriers, branches
// that ranks decide differently, and what the program marks as distinct.
// RUN: split-file %s %t
// RUN: dist-opt %t/fuse.mlir --collective-fuse --remarks=text 2>%t.fuse | FileCheck %t/fuse.mlir
// RUN: FileCheck %t/fuse.mlir --check-prefix=REMARK < %t.fuse
// RUN: dist-opt %t/overlap.mlir --collective-overlap --remarks=text 2>%t.overlap | FileCheck %t/overlap.mlir
// RUN: FileCheck %t/overlap.mlir --check-prefix=REMARK < %t.overlap
// RUN: dist-opt %t/simplify.mlir --collective-simplify=reassociate | FileCheck %t/simplify.mlir
// RUN: dist-opt %t/gradients.mlir --collective-compress --remarks=text 2>&1 | FileCheck %t/gradients.mlir
// RUN: dist-opt %t/gradients.mlir --collective-hierarchy="ranks-per-node=2" --remarks=text 2>&1 | FileCheck %t/gradients.mlir --check-prefix=HIERARCHY

//--- fuse.mlir
collective.group @world {size = 4 : i64}
collective.group @pairs members(#collective.blocks<2>)
collective.group @later members(#collective.at_run_time)

// Without what is made in between, both would be one.
// CHECK-LABEL: func.func @groups
// REMARK-DAG: all_reduce of first is not fused: 'collective.destroy_group' stands between it and the next one like it, and orders communication
func.func @groups(%x: tensor<4xf32>, %y: tensor<4xf32>, %r: index, %q: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: create_group
  collective.create_group @later of %r : index
  // CHECK-NEXT: arith.negf
  %a = arith.negf %x : tensor<4xf32> loc("first")
  // CHECK-NEXT: all_reduce sum %{{[^,]*}} on @later
  %0 = collective.all_reduce sum %a on @later : tensor<4xf32>
  // CHECK-NEXT: destroy_group
  collective.destroy_group @later
  // CHECK-NEXT: create_group
  collective.create_group @later of %q : index
  // The bucket stands after what makes the group, though its inputs are there before.
  // CHECK-NEXT: all_reduce sum %{{.*}}, %{{.*}} on @later
  // CHECK-NEXT: destroy_group
  %1 = collective.all_reduce sum %a on @later : tensor<4xf32>
  %2 = collective.all_reduce sum %y on @later : tensor<4xf32>
  collective.destroy_group @later
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A rank that waits until its message is taken must not be waited for in a collective that stands before the receive.
// CHECK-LABEL: func.func @messages
func.func @messages(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %is_zero = arith.cmpi eq, %rank, %c0 : index
  %is_one = arith.cmpi eq, %rank, %c1 : index
  // CHECK: scf.if
  scf.if %is_zero {
    collective.send %x to %c1 tag 0 on @world : tensor<4xf32>
  }
  // CHECK: %[[A:.*]] = arith.negf
  %a = arith.negf %x : tensor<4xf32> loc("between")
  // CHECK-NEXT: scf.if
  scf.if %is_one {
    %m = collective.recv from %c0 tag 0 on @world : tensor<4xf32>
  }
  // CHECK: all_reduce sum %[[A]], %{{.*}} on @world
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  %1 = collective.all_reduce sum %y on @world : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Each rank of a pair comes to another side: what one of them makes one, the other would meet as two.
// CHECK-LABEL: func.func @sides
// REMARK-DAG: all_reduce of side is not fused: not all ranks reach it, and the others would communicate as before
func.func @sides(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %rank = collective.rank on @pairs : index
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  // CHECK: scf.if
  // CHECK-COUNT-4: all_reduce sum %{{[^,]*}} on @pairs
  // CHECK: return
  %r:2 = scf.if %is_first -> (tensor<4xf32>, tensor<4xf32>) {
    %a = arith.negf %x : tensor<4xf32> loc("side")
    %0 = collective.all_reduce sum %a on @pairs : tensor<4xf32>
    %1 = collective.all_reduce sum %y on @pairs : tensor<4xf32>
    scf.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } else {
    %0 = collective.all_reduce sum %x on @pairs : tensor<4xf32>
    %1 = collective.all_reduce sum %0 on @pairs : tensor<4xf32>
    scf.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @gathered_again
// REMARK-DAG: all_gather of again is not fused: it is collective.distinct: it is executed where, and as often as, the program says
func.func @gathered_again(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  // CHECK: all_gather %{{.*}}, %{{.*}} along 0
  %a = arith.negf %x : tensor<4xf32> loc("again")
  %0 = collective.all_gather %a along 0 on @world : tensor<4xf32> -> tensor<16xf32>
  %1 = collective.all_gather %y along 0 on @world : tensor<4xf32> -> tensor<16xf32>
  // CHECK-NEXT: all_gather %{{[^,]*}} along 0 on @world {collective.distinct}
  %2 = collective.all_gather %a along 0 on @world {collective.distinct} : tensor<4xf32> -> tensor<16xf32>
  return %0, %1, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

//--- overlap.mlir
collective.group @world {size = 4 : i64}
collective.group @later members(#collective.at_run_time)

// Started after what makes the group, awaited before it ends, though the work around would let it be longer on its way.
// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<4xf32>, %r: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[F:.*]] = collective.async
  // CHECK:      all_reduce sum %arg0 on @world
  // CHECK:      arith.mulf
  %w = arith.mulf %x, %x : tensor<4xf32>
  // CHECK-NEXT: collective.await %[[F]]
  %0 = collective.all_reduce sum %x on @world : tensor<4xf32>
  // CHECK-NEXT: collective.create_group
  collective.create_group @later of %r : index
  // CHECK-NEXT: %[[G:.*]] = collective.async
  // CHECK:      all_reduce sum %arg0 on @later
  // CHECK:      arith.negf
  // CHECK-NEXT: collective.await %[[G]]
  %v = arith.negf %x : tensor<4xf32>
  %1 = collective.all_reduce sum %x on @later : tensor<4xf32>
  // CHECK-NEXT: collective.destroy_group
  collective.destroy_group @later
  // CHECK-NEXT: arith.subf
  %u = arith.subf %w, %v : tensor<4xf32>
  return %0, %1, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// One chain where nothing stands between; two where the group ends between them.
// CHECK-LABEL: func.func @chains
func.func @chains(%x: tensor<4xf32>, %r: index) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: create_group
  collective.create_group @later of %r : index
  // CHECK: all_reduce sum %arg0 on @later
  %0 = collective.all_reduce sum %x on @later : tensor<4xf32>
  // CHECK: destroy_group
  collective.destroy_group @later
  // CHECK: all_reduce sum %{{.*}} on @world
  %1 = collective.all_reduce sum %0 on @world : tensor<4xf32>
  %w = arith.mulf %x, %x : tensor<4xf32>
  return %1, %w : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @gathered_again
// REMARK: all_gather stays synchronous: it is collective.distinct: it is executed where, and as often as, the program says
func.func @gathered_again(%x: tensor<4xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4xf32>) {
  // CHECK: collective.async
  %0 = collective.all_gather %x along 0 on @world : tensor<4xf32> -> tensor<16xf32>
  // CHECK: arith.negf
  %w = arith.negf %x : tensor<4xf32>
  // CHECK-NEXT: all_gather %arg0 along 0 on @world {collective.distinct}
  %1 = collective.all_gather %x along 0 on @world {collective.distinct} : tensor<4xf32> -> tensor<16xf32>
  return %0, %1, %w : tensor<16xf32>, tensor<16xf32>, tensor<4xf32>
}

//--- simplify.mlir
collective.group @world {size = 4 : i64}
collective.group @pairs members(#collective.blocks<2>)
collective.group @later members(#collective.at_run_time) {size = 2 : i64}

// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<4xf32>, %r: index, %q: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: create_group
  collective.create_group @later of %r, %q : index, index
  // CHECK: %[[A:.*]] = collective.all_reduce sum %arg0 on @later
  %a = collective.all_reduce sum %x on @later : tensor<4xf32>
  // CHECK-NEXT: %[[P:.*]] = collective.reduce_scatter sum %arg0 along 0 on @later
  %p = collective.reduce_scatter sum %x along 0 on @later : tensor<4xf32> -> tensor<2xf32>
  // CHECK-NEXT: %[[RANK:.*]] = collective.rank on @later
  %rank = collective.rank on @later : index
  %two = arith.constant 2 : index
  %own = arith.muli %rank, %two : index
  // CHECK: destroy_group
  collective.destroy_group @later
  // CHECK-NEXT: create_group
  collective.create_group @later of %q, %r : index, index
  // CHECK-NEXT: %[[B:.*]] = collective.all_reduce sum %arg0 on @later
  %b = collective.all_reduce sum %x on @later : tensor<4xf32>
  // Two sums over other ranks, the parts of others, and a broadcast among others than those who agree.
  // CHECK-NEXT: arith.addf %[[A]], %[[B]]
  %0 = arith.addf %a, %b : tensor<4xf32>
  // CHECK-NEXT: collective.all_gather %[[P]]
  %1 = collective.all_gather %p along 0 on @later : tensor<2xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = collective.all_reduce sum
  %c = collective.all_reduce sum %x on @later : tensor<4xf32>
  // CHECK-NEXT: tensor.extract_slice %[[C]]
  %2 = tensor.extract_slice %c[%own] [2] [1] : tensor<4xf32> to tensor<2xf32>
  // CHECK-NEXT: collective.broadcast
  %3 = collective.broadcast %a from 0 on @later : tensor<4xf32>
  collective.destroy_group @later
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
}

// The only use of the sum stands in a branch that one rank takes: what all ranks add must not go there.
// CHECK-LABEL: func.func @branch
func.func @branch(%x: tensor<4xf32>) -> tensor<1xf32> {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  // CHECK: collective.all_reduce sum
  %sum = collective.all_reduce sum %x on @world : tensor<4xf32>
  // CHECK: scf.if
  %r = scf.if %is_first -> tensor<1xf32> {
    // CHECK-NEXT: tensor.extract_slice
    %0 = tensor.extract_slice %sum[%rank] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.yield %0 : tensor<1xf32>
  } else {
    %0 = arith.constant dense<0.0> : tensor<1xf32>
    scf.yield %0 : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}

// Both sides meet twice; so they must after it.
// CHECK-LABEL: func.func @sides
func.func @sides(%x: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @pairs : index
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  // CHECK: scf.if
  %r = scf.if %is_first -> tensor<4xf32> {
    // CHECK-NEXT: collective.reduce_scatter
    // CHECK-NEXT: collective.all_gather
    %0 = collective.reduce_scatter sum %x along 0 on @pairs : tensor<4xf32> -> tensor<2xf32>
    %1 = collective.all_gather %0 along 0 on @pairs : tensor<2xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    // CHECK: collective.reduce_scatter
    // CHECK-NEXT: arith.negf
    // CHECK-NEXT: collective.all_gather
    %0 = collective.reduce_scatter sum %x along 0 on @pairs : tensor<4xf32> -> tensor<2xf32>
    %1 = arith.negf %0 : tensor<2xf32>
    %2 = collective.all_gather %1 along 0 on @pairs : tensor<2xf32> -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @distinct
func.func @distinct(%x: tensor<4xf32>, %u: tensor<4xf32> {train.variable = #train.variable<"u", other>}) -> (tensor<4xf32>, tensor<16xf32>) {
  // CHECK-NEXT: reduce_scatter
  %0 = collective.reduce_scatter sum %x along 0 on @world : tensor<4xf32> -> tensor<1xf32>
  // CHECK-NEXT: all_gather
  %1 = collective.all_gather %0 along 0 on @world {collective.distinct} : tensor<1xf32> -> tensor<4xf32>
  // CHECK-NEXT: all_gather
  %2 = collective.all_gather %u along 0 on @world {collective.distinct} : tensor<4xf32> -> tensor<16xf32>
  return %1, %2 : tensor<4xf32>, tensor<16xf32>
}

//--- gradients.mlir
// CHECK-DAG: marked gradient stays f32 on the wire: it is collective.distinct
// CHECK-DAG: marked gradient stays f32 on the wire: not every rank is in a set of its group
// CHECK-DAG: marked gradient stays f32 on the wire: not all ranks reach it
// CHECK-NOT: truncf
// HIERARCHY: all_reduce stays flat: it is collective.distinct
// HIERARCHY-NOT: reduce_scatter
collective.group @world {size = 4 : i64}
collective.group @pairs members(#collective.blocks<2>)
collective.group @later members(#collective.at_run_time)
func.func @marked(%x: tensor<4xf32>, %r: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = collective.all_reduce mean %x on @world {collective.distinct} : tensor<4xf32>
  %a = train.mark_gradient %0 : tensor<4xf32>
  collective.create_group @later of %r : index
  %1 = collective.all_reduce mean %x on @later : tensor<4xf32>
  collective.destroy_group @later
  %b = train.mark_gradient %1 : tensor<4xf32>
  %rank = collective.rank on @pairs : index
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  %c = scf.if %is_first -> tensor<4xf32> {
    %2 = collective.all_reduce mean %x on @pairs : tensor<4xf32>
    %d = train.mark_gradient %2 : tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  } else {
    %2 = collective.all_reduce mean %x on @pairs : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
