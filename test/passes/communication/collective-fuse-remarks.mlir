// Whatever is not fused is a remark that names its node, or whose node it takes, and the reason.
// RUN: dist-opt %s --collective-fuse --remarks=text -o /dev/null 2>&1 | FileCheck %s
// RUN: dist-opt %s --collective-fuse="mode=none" --remarks=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: dist-opt %s --collective-fuse="by=id" --remarks=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=ID
// RUN: dist-opt %s --collective-fuse="bucket-bytes=16" --remarks=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROOM

// CHECK-DAG: all_reduce of early is not fused: 'arith.negf' needs it before the next one like it is ready [collective-fuse, missed]
// CHECK-DAG: all_reduce of late is not fused: no other is like it (all_reduce sum of f32 on @world) and can wait for it
// CHECK-DAG: all_reduce of half is not fused: no other is like it (all_reduce sum of f16 on @world) and can wait for it
// CHECK-DAG: all_reduce of pairs is not fused: no other is like it (all_reduce sum of f32 on @pairs) and can wait for it
// CHECK-DAG: all_reduce of largest is not fused: no other is like it (all_reduce max of f32 on @world) and can wait for it
// CHECK-DAG: broadcast of early is not fused: no other is like it (broadcast of f32 on @world) and can wait for it
// CHECK-DAG: reduce of early is not fused: its kind is not fused: the runtime takes one buffer of it at a time
// CHECK-DAG: all_reduce of open is not fused: its size is not known
// CHECK-DAG: all_reduce of branch is not fused: no other is like it
// CHECK-DAG: all_reduce of early is not fused: it is a bucket already
// CHECK-DAG: all_reduce of beside is not fused: it is asynchronous already: fuse before collective-overlap
// NONE: all_reduce of early is not fused: mode=none
// ID: all_reduce of early is not fused: it has no collective.bucket
// ROOM: all_reduce of first is not fused: its bucket has no room for another: 16 bytes
// ROOM: all_reduce of second is not fused: its bucket has no room for another: 16 bytes

collective.group @world
collective.group @pairs members(#collective.blocks<2>)

func.func @step(%x: tensor<4xf32>, %h: tensor<4xf16>, %d: tensor<?xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = arith.negf %x : tensor<4xf32> loc("early")
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  %b = arith.negf %0 : tensor<4xf32> loc("late")
  %1 = collective.all_reduce sum %b on @world : tensor<4xf32>
  %e = arith.negf %h : tensor<4xf16>
  %2 = collective.all_reduce sum %e on @world : tensor<4xf16> loc("half")
  %3 = collective.all_reduce sum %a on @pairs : tensor<4xf32> loc("pairs")
  %4 = collective.all_reduce max %a on @world : tensor<4xf32> loc("largest")
  %5 = collective.broadcast %a from 0 on @world : tensor<4xf32>
  %6 = collective.reduce sum %a to 0 on @world : tensor<4xf32>
  %f = arith.negf %d : tensor<?xf32> loc("open")
  %7 = collective.all_reduce sum %f on @world : tensor<?xf32>
  %8 = scf.if %c -> tensor<4xf32> {
    %9 = collective.all_reduce sum %a on @world : tensor<4xf32> loc("branch")
    scf.yield %9 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %10:2 = collective.all_reduce sum %a, %b on @world : tensor<4xf32>, tensor<4xf32>
  %future = collective.async {
    %r = collective.all_reduce sum %x on @world : tensor<4xf32> loc("beside")
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %11 = collective.await %future : !collective.future<tensor<4xf32>>
  return %0, %1, %2, %3, %4, %5, %7, %8, %10#0, %11, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @full(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = collective.all_reduce sum %x on @world : tensor<4xf32> loc("first")
  %1 = collective.all_reduce sum %x on @world : tensor<4xf32> loc("second")
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What needs a gather may be in a bucket by the time that is told.
// CHECK-DAG: all_gather of inner is not fused: 'collective.all_gather' needs it before the next one like it is ready
collective.group @rows members(#collective.blocks<2>) {size = 2 : i64}
collective.group @columns members(#collective.strided<2>) {size = 2 : i64}
func.func @gathers_of_gathers(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
  %a = collective.all_gather %x along 0 on @rows : tensor<4xf32> -> tensor<8xf32>
  %b = collective.all_gather %y along 0 on @columns : tensor<2xf32> -> tensor<4xf32> loc("inner")
  %c = collective.all_gather %b along 0 on @rows : tensor<4xf32> -> tensor<8xf32>
  %d = arith.negf %c : tensor<8xf32>
  %e = collective.all_gather %d along 0 on @columns : tensor<8xf32> -> tensor<16xf32>
  return %a, %e : tensor<8xf32>, tensor<16xf32>
}
