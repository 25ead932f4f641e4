// Each collective and message on buffers becomes its call; groups are numbers, futures too.
// RUN: dist-opt %s --lower-to-llvm | FileCheck %s

// CHECK: module attributes {kernel.plan = ["step create_group on later", "step reduce sum to 1 on pairs: f32 [8], 32 bytes", "step gather to 1 on world: f32 [8], 32 bytes", "step scatter from 2 on world: f32 [32], 128 bytes", "step all_to_all on pairs: f32 [8], 32 bytes", "step all_to_all_v on world: f32 [8], 32 bytes", "step all_to_all_vc on world: f32 [8], 32 bytes", "step send tag 7 on pairs: f32 [8], 32 bytes", "step send tag 7 on pairs: i64 [4], 32 bytes", "step recv tag 7 on pairs: f32 [8], 32 bytes", "step async all_reduce sum on later: f32 [8], 32 bytes", "step barrier on pairs", "step destroy_group on later"]}
module {
  collective.group @later members(#collective.at_run_time)
  collective.group @world {size = 4 : i64}
  collective.group @pairs members(#collective.blocks<2>)

  // The runtime counts what goes to one rank: all 8 elements in a reduction, 4 of 8 in an exchange of two ranks.
  // CHECK-DAG: llvm.mlir.global internal constant @[[EIGHT:.*]](dense<8> : tensor<1xi64>)
  // CHECK-DAG: llvm.mlir.global internal constant @[[FOUR:.*]](dense<4> : tensor<1xi64>)
  // CHECK-DAG: llvm.func @tutti_group_rank(!llvm.ptr, i64) -> i64
  // CHECK-DAG: llvm.func @tutti_local_rank(!llvm.ptr) -> i64
  // CHECK: llvm.func internal @step(
  func.func @step(%a: memref<4x2xf32>, %b: memref<16x2xf32>, %c: memref<4xi64>, %m: memref<4x4xi64>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 4 : i64} {
    // CHECK: %[[PAIRS:.*]] = llvm.mlir.constant(2 : i64)
    // CHECK-NEXT: %[[RANK:.*]] = llvm.call @tutti_group_rank(%[[CONTEXT:.*]], %[[PAIRS]])
    %rank = collective.rank on @pairs : index
    // CHECK: %[[LATER:.*]] = llvm.mlir.constant(1 : i64)
    // CHECK-NEXT: %[[SIZE:.*]] = llvm.call @tutti_group_size(%[[CONTEXT]], %[[LATER]])
    %size = collective.size on @later : index
    // CHECK: %[[LOCAL:.*]] = llvm.call @tutti_local_rank(%[[CONTEXT]])
    %local = collective.local_rank : index
    // CHECK: %[[LOCAL_SIZE:.*]] = llvm.call @tutti_local_size(%[[CONTEXT]])
    %local_size = collective.local_size : index
    // CHECK: %[[FROM:.*]] = llvm.mlir.constant(0 : i64)
    // CHECK-NEXT: %[[TO:.*]] = llvm.mlir.constant(2 : i64)
    // CHECK-NEXT: %[[PEER:.*]] = llvm.call @tutti_translate_rank(%[[CONTEXT]], %[[FROM]], %[[RANK]], %[[TO]])
    %peer = collective.translate_rank %rank from @world to @pairs : index
    // CHECK-DAG: llvm.store %[[RANK]]
    // CHECK-DAG: llvm.store %[[LOCAL]]
    // CHECK-DAG: llvm.store %[[SIZE]]
    // CHECK-DAG: llvm.store %[[LOCAL_SIZE]]
    // CHECK: llvm.call @tutti_create_group(%[[CONTEXT]],
    collective.create_group @later of %rank, %local, %size, %local_size : index, index, index, index
    // CHECK: llvm.call @tutti_reduce(
    collective.reduce sum %a into %a to 1 on @pairs : memref<4x2xf32>
    // CHECK: llvm.call @tutti_gather(
    collective.gather %a into %b along 0 to 1 on @world : memref<4x2xf32> -> memref<16x2xf32>
    // CHECK: llvm.call @tutti_scatter(
    collective.scatter %b into %a along 0 from 2 on @world : memref<16x2xf32> -> memref<4x2xf32>
    // CHECK: llvm.mlir.addressof @[[FOUR]]
    // CHECK: llvm.call @tutti_all_to_all(
    collective.all_to_all %a into %a split 0 concat 0 on @pairs : memref<4x2xf32>
    // CHECK: llvm.call @tutti_all_to_all_v(
    collective.all_to_all_v %a into %b send(%c, %c) receive(%c, %c) on @world : memref<4x2xf32>, memref<16x2xf32>, memref<4xi64>
    // CHECK: llvm.call @tutti_all_to_all_vc(
    collective.all_to_all_vc %a into %b counts(%m) on @world : memref<4x2xf32>, memref<16x2xf32>, memref<4x4xi64>
    // CHECK: %[[PEER_I32:.*]] = llvm.trunc %[[PEER]] : i64 to i32
    // CHECK: llvm.call @tutti_send(%[[CONTEXT]], %{{.*}}, %{{.*}}, %[[PEER_I32]],
    // CHECK: llvm.call @tutti_send(%[[CONTEXT]], %{{.*}}, %{{.*}}, %[[PEER_I32]],
    collective.send %a, %c to %peer tag 7 on @pairs : memref<4x2xf32>, memref<4xi64>
    // CHECK: llvm.call @tutti_recv(
    collective.recv into %a from %peer tag 7 on @pairs : memref<4x2xf32>
    // CHECK: %[[FUTURE:.*]] = llvm.mlir.constant(5 : i64)
    // CHECK: llvm.call @tutti_async_begin(%[[CONTEXT]], %[[FUTURE]])
    // CHECK: llvm.call @tutti_all_reduce(
    // CHECK: llvm.call @tutti_async_end(%[[CONTEXT]])
    collective.all_reduce sum %a into %a on @later {collective.future = 5 : i64} : memref<4x2xf32>
    // CHECK: llvm.call @tutti_barrier(
    collective.barrier on @pairs
    // CHECK: llvm.call @tutti_await(%[[CONTEXT]], %{{.*}})
    collective.complete 5 of %a : memref<4x2xf32>
    // CHECK: llvm.call @tutti_destroy_group(
    collective.destroy_group @later
    return
  }
}
