// Collectives with a root, exchanges, messages and asynchronous communication parse, print and parse again.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s

collective.group @world
collective.group @four {size = 4 : i64}

// CHECK-LABEL: func.func @with_a_root
func.func @with_a_root(%a: tensor<4xf32>, %b: tensor<8xi1>, %m: memref<4xf32>, %n: memref<16xf32>) {
  // CHECK: %{{.*}} = collective.reduce mean %{{.*}} to 2 on @four : tensor<4xf32>
  %0 = collective.reduce mean %a to 2 on @four : tensor<4xf32>
  // CHECK: %{{.*}}:2 = collective.gather %{{.*}}, %{{.*}} along 0 to 1 on @four : tensor<4xf32>, tensor<8xi1> -> tensor<16xf32>, tensor<32xi1>
  %1:2 = collective.gather %a, %b along 0 to 1 on @four : tensor<4xf32>, tensor<8xi1> -> tensor<16xf32>, tensor<32xi1>
  // CHECK: %{{.*}} = collective.scatter %{{.*}} along 0 from 3 on @four : tensor<8xi1> -> tensor<2xi1>
  %2 = collective.scatter %b along 0 from 3 on @four : tensor<8xi1> -> tensor<2xi1>
  // CHECK: collective.reduce max %{{.*}} into %{{.*}} to 0 on @world : memref<4xf32>
  collective.reduce max %m into %m to 0 on @world : memref<4xf32>
  // CHECK: collective.gather %{{.*}} into %{{.*}} along 0 to 0 on @four : memref<4xf32> -> memref<16xf32>
  collective.gather %m into %n along 0 to 0 on @four : memref<4xf32> -> memref<16xf32>
  // CHECK: collective.scatter %{{.*}} into %{{.*}} along 0 from 0 on @four : memref<16xf32> -> memref<4xf32>
  collective.scatter %n into %m along 0 from 0 on @four : memref<16xf32> -> memref<4xf32>
  return
}

// CHECK-LABEL: func.func @exchanges
func.func @exchanges(%a: tensor<8x2xui8>, %m: memref<8xf16>) -> (tensor<?x?xui8>, tensor<2x8xui8>, tensor<8x2xui8>) {
  // CHECK: collective.all_to_all %{{.*}} split 0 concat 1 on @world : tensor<8x2xui8> -> tensor<?x?xui8>
  %0 = collective.all_to_all %a split 0 concat 1 on @world : tensor<8x2xui8> -> tensor<?x?xui8>
  // CHECK: collective.all_to_all %{{.*}} split 0 concat 1 on @four : tensor<8x2xui8> -> tensor<2x8xui8>
  %1 = collective.all_to_all %a split 0 concat 1 on @four : tensor<8x2xui8> -> tensor<2x8xui8>
  // CHECK: collective.all_to_all %{{.*}} split 0 concat 0 on @four : tensor<8x2xui8>{{$}}
  %2 = collective.all_to_all %a split 0 concat 0 on @four : tensor<8x2xui8>
  // CHECK: collective.all_to_all %{{.*}} into %{{.*}} split 0 concat 0 on @four : memref<8xf16>
  collective.all_to_all %m into %m split 0 concat 0 on @four : memref<8xf16>
  return %0, %1, %2 : tensor<?x?xui8>, tensor<2x8xui8>, tensor<8x2xui8>
}

// CHECK-LABEL: func.func @rows
func.func @rows(%a: tensor<8x2xf32>, %i: tensor<?x2xf32>, %c: tensor<4xi64>, %t: tensor<4x4xi64>, %m: memref<8x2xf32>, %n: memref<4xi64>, %p: memref<4x4xi64>, %d: tensor<?xi64>) -> (tensor<?x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: %{{.*}} = collective.all_to_all_v %{{.*}} into %{{.*}} send(%{{.*}}, %{{.*}}) receive(%{{.*}}, %{{.*}}) on @four : tensor<8x2xf32>, tensor<?x2xf32>, tensor<4xi64>{{$}}
  %0 = collective.all_to_all_v %a into %i send(%c, %c) receive(%c, %c) on @four : tensor<8x2xf32>, tensor<?x2xf32>, tensor<4xi64>
  // CHECK: collective.all_to_all_v {{.*}} : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>, tensor<?xi64>, tensor<4xi64>, tensor<4xi64>{{$}}
  %1 = collective.all_to_all_v %a into %a send(%c, %d) receive(%c, %c) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>, tensor<?xi64>, tensor<4xi64>, tensor<4xi64>
  // CHECK: collective.all_to_all_v %{{.*}} into %{{.*}} send(%{{.*}}, %{{.*}}) receive(%{{.*}}, %{{.*}}) on @four : memref<8x2xf32>, memref<8x2xf32>, memref<4xi64>{{$}}
  collective.all_to_all_v %m into %m send(%n, %n) receive(%n, %n) on @four : memref<8x2xf32>, memref<8x2xf32>, memref<4xi64>
  // CHECK: %{{.*}} = collective.all_to_all_vc %{{.*}} into %{{.*}} counts(%{{.*}}) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4x4xi64>{{$}}
  %2 = collective.all_to_all_vc %a into %a counts(%t) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4x4xi64>
  // CHECK: collective.all_to_all_vc %{{.*}} into %{{.*}} counts(%{{.*}}) on @four : memref<8x2xf32>, memref<8x2xf32>, memref<4x4xi64>{{$}}
  collective.all_to_all_vc %m into %m counts(%p) on @four : memref<8x2xf32>, memref<8x2xf32>, memref<4x4xi64>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @messages
func.func @messages(%a: tensor<4xf32>, %b: tensor<bf16>, %peer: index, %m: memref<4xf32>) -> (tensor<4xf32>, tensor<bf16>) {
  // CHECK: collective.send %{{.*}}, %{{.*}} to %{{.*}} tag 7 on @world : tensor<4xf32>, tensor<bf16>
  collective.send %a, %b to %peer tag 7 on @world : tensor<4xf32>, tensor<bf16>
  // CHECK: %{{.*}}:2 = collective.recv from %{{.*}} tag 7 on @world : tensor<4xf32>, tensor<bf16>
  %r:2 = collective.recv from %peer tag 7 on @world : tensor<4xf32>, tensor<bf16>
  // CHECK: collective.send %{{.*}} to %{{.*}} tag 0 on @four : memref<4xf32>
  collective.send %m to %peer tag 0 on @four : memref<4xf32>
  // CHECK: collective.recv into %{{.*}} from %{{.*}} tag 0 on @four : memref<4xf32>
  collective.recv into %m from %peer tag 0 on @four : memref<4xf32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<bf16>
}

// CHECK-LABEL: func.func @asynchronous
func.func @asynchronous(%a: tensor<4xf32>, %b: tensor<2xi8>, %m: memref<4xf32>) -> (tensor<4xf32>, tensor<2xi8>) {
  // CHECK: %[[F:.*]] = collective.async {
  %f = collective.async {
    // CHECK: %[[R:.*]] = collective.all_reduce sum
    %r = collective.all_reduce sum %a on @world : tensor<4xf32>
    // CHECK: %[[S:.*]] = collective.broadcast
    %s = collective.broadcast %b from 0 on @world : tensor<2xi8>
    // CHECK: collective.yield %[[R]], %[[S]] : tensor<4xf32>, tensor<2xi8>
    collective.yield %r, %s : tensor<4xf32>, tensor<2xi8>
    // CHECK: } : !collective.future<tensor<4xf32>, tensor<2xi8>>
  } : !collective.future<tensor<4xf32>, tensor<2xi8>>
  // CHECK: %[[G:.*]] = collective.async {
  // CHECK-NEXT: collective.all_reduce sum %{{.*}} into
  // CHECK-NEXT: } : !collective.future{{$}}
  %g = collective.async {
    collective.all_reduce sum %m into %m on @world : memref<4xf32>
  } : !collective.future
  // CHECK: %{{.*}}:2 = collective.await %[[F]] : !collective.future<tensor<4xf32>, tensor<2xi8>>
  %x:2 = collective.await %f : !collective.future<tensor<4xf32>, tensor<2xi8>>
  // CHECK: collective.await %[[G]] : !collective.future{{$}}
  collective.await %g : !collective.future
  return %x#0, %x#1 : tensor<4xf32>, tensor<2xi8>
}

// CHECK-LABEL: func.func @numbered_futures
func.func @numbered_futures(%a: tensor<4xf32>, %m: memref<4xf32>) -> tensor<16xf32> {
  // CHECK: %[[R:.*]] = collective.all_gather %[[A:.*]] along 0 on @four {collective.future = 3 : i64}
  %r = collective.all_gather %a along 0 on @four {collective.future = 3 : i64} : tensor<4xf32> -> tensor<16xf32>
  // CHECK: %{{.*}} = collective.complete 3 of %[[R]] keeping %[[A]] : tensor<16xf32>, tensor<4xf32>
  %x = collective.complete 3 of %r keeping %a : tensor<16xf32>, tensor<4xf32>
  // CHECK: collective.complete 4 keeping %{{.*}} : memref<4xf32>
  collective.complete 4 keeping %m : memref<4xf32>
  // CHECK: collective.complete 5
  collective.complete 5
  return %x : tensor<16xf32>
}
