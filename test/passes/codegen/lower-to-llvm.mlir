// Kernel calls and collectives become calls of the runtime; each function of the program gets its entry point.
// RUN: dist-opt %s --lower-to-llvm --split-input-file | FileCheck %s

// CHECK-DAG: llvm.func @tutti_context_status(!llvm.ptr) -> i32
// CHECK-DAG: llvm.func @tutti_copy_blocks(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// After the parameters stands the node's name: 3 letters, 'm' + 'u' * 2^8 + 'l' * 2^16.
// CHECK-DAG: llvm.mlir.global internal constant @[[P:.*]](dense<[1, 16, 0, 0, 0, 0, 3, 7107949]> : tensor<8xi64>)
// CHECK: llvm.func internal @step(%[[A:.*]]: !llvm.ptr {llvm.noalias}, %[[B:.*]]: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %[[C:.*]]: !llvm.ptr)
// CHECK: %[[ARRAY:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.store %{{.*}}, %{{.*}}
// CHECK: llvm.store %{{.*}}, %{{.*}}
// CHECK: %[[PARAMETERS:.*]] = llvm.mlir.addressof @[[P]]
// CHECK: llvm.call @tutti_copy_blocks(%[[C]], %[[ARRAY]], %[[PARAMETERS]])
func.func @step(%a: memref<4xf32> {llvm.noalias}, %b: memref<4xf32> {llvm.noalias}, %arena: memref<0xi8> {llvm.noalias}, %context: !llvm.ptr)
    attributes {kernel.variables = 1 : i64, kernel.inputs = 1 : i64, kernel.results = 0 : i64} {
  kernel.copy_blocks(%a) into(%b) {bytes = 16 : i64} : (memref<4xf32>) -> memref<4xf32> loc("mul")
  return
}
// CHECK: llvm.func @tutti_step(%[[CONTEXT:.*]]: !llvm.ptr, %[[VARIABLES:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) -> i32
// CHECK: %[[VA:.*]] = llvm.getelementptr %[[VARIABLES]][0]
// CHECK: %[[V:.*]] = llvm.load %[[VA]]
// CHECK: %[[IA:.*]] = llvm.getelementptr %[[INPUTS]][0]
// CHECK: %[[I:.*]] = llvm.load %[[IA]]
// CHECK: llvm.call @step(%[[V]], %[[I]], %[[ARENA]], %[[CONTEXT]])
// CHECK: %[[S:.*]] = llvm.call @tutti_context_status(%[[CONTEXT]])
// CHECK: llvm.return %[[S]]

// -----

// Collectives are numbered through @initialize, then @step, whatever their order in the file; a bucket of two types is
// two calls.
// CHECK: module attributes {kernel.plan = ["initialize broadcast from 2 on world: f32 [4, 4], 32 bytes", "initialize broadcast from 2 on world: i64 [1], 8 bytes", "initialize barrier on world", "step all_reduce mean on world: f32 [4], 16 bytes"]}
module {
  collective.group @world {size = 4 : i64}
  // CHECK: llvm.func internal @step
  // CHECK: %[[ID:.*]] = llvm.mlir.constant(3 : i64)
  // CHECK: %[[GROUP:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[MEAN:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[F32:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @tutti_all_reduce(%{{.*}}, %[[ID]], %[[GROUP]], %[[MEAN]], %[[F32]],
  func.func @step(%a: memref<4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 1 : i64} {
    collective.all_reduce mean %a into %a on @world : memref<4xf32>
    return
  }
  // CHECK: llvm.func internal @initialize
  // CHECK: llvm.call @tutti_broadcast
  // CHECK: llvm.call @tutti_broadcast
  // CHECK: llvm.call @tutti_barrier
  // CHECK: llvm.func @tutti_initialize(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
  func.func @initialize(%a: memref<4xf32>, %t: memref<i64>, %b: memref<4xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 3 : i64} {
    collective.broadcast %a, %t, %b into %a, %t, %b from 2 on @world : memref<4xf32>, memref<i64>, memref<4xf32>
    collective.barrier on @world
    return
  }
}

// -----

// The runtime counts the elements of one rank's part.
module {
  collective.group @world {size = 4 : i64}
  // CHECK-DAG: llvm.mlir.global internal constant @{{.*}}(dense<2> : tensor<1xi64>)
  // CHECK-DAG: llvm.mlir.global internal constant @{{.*}}(dense<3> : tensor<1xi64>)
  // CHECK: llvm.func internal @step
  // CHECK: llvm.call @tutti_all_gather
  // CHECK: llvm.call @tutti_reduce_scatter
  func.func @step(%a: memref<2xf32>, %b: memref<8xf32>, %c: memref<12xf32>, %d: memref<3xf32>, %arena: memref<0xi8>, %context: !llvm.ptr) attributes {kernel.variables = 4 : i64} {
    collective.all_gather %a into %b along 0 on @world : memref<2xf32> -> memref<8xf32>
    collective.reduce_scatter sum %c into %d along 0 on @world : memref<12xf32> -> memref<3xf32>
    return
  }
}

// -----

// Exponentials become polynomials: no call that would stop vectorisation. The one conversion to an integer is an
// intrinsic, which a vector has, too.
// CHECK-LABEL: llvm.func @exponential
func.func @exponential(%x: f32) -> f32 {
  // CHECK-NOT: {{call|llvm.intr.exp}}
  // CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (f32) -> i32
  // CHECK-NOT: {{call|llvm.intr.exp}}
  // CHECK: llvm.return
  %0 = math.exp %x : f32
  return %0 : f32
}
