// What a future promises is started where the async stands, and completed where it is awaited: with everything that is
// in use until then.
// RUN: dist-opt %s --lower-futures | FileCheck %s

collective.group @world {size = 4 : i64}
collective.group @rows members(#collective.blocks<2>)
collective.group @columns members(#collective.strided<2>)

// CHECK-LABEL: func.func @values
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<2xi64>, %[[P:.*]]: index)
func.func @values(%a: tensor<4xf32>, %b: tensor<2xi64>, %p: index) -> (tensor<16xf32>, tensor<2xi64>, tensor<4xf32>) {
  // CHECK: %[[G:.*]] = collective.all_gather %[[A]] along 0 on @world {collective.future = 0 : i64}
  // CHECK-NEXT: %[[S:.*]] = collective.all_reduce sum %[[B]] on @world {collective.future = 1 : i64}
  // CHECK-NEXT: collective.send %[[A]], %[[B]] to %[[P]] tag 3 on @world {collective.future = 2 : i64}
  %f = collective.async {
    %g = collective.all_gather %a along 0 on @world : tensor<4xf32> -> tensor<16xf32>
    %s = collective.all_reduce sum %b on @world : tensor<2xi64>
    collective.send %a, %b to %p tag 3 on @world : tensor<4xf32>, tensor<2xi64>
    collective.yield %s, %g, %a : tensor<2xi64>, tensor<16xf32>, tensor<4xf32>
  } : !collective.future<tensor<2xi64>, tensor<16xf32>, tensor<4xf32>>
  // CHECK-NEXT: %[[R:.*]] = collective.recv from %[[P]] tag 3 on @world {collective.future = 3 : i64}
  %h = collective.async {
    %r = collective.recv from %p tag 3 on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK-NEXT: arith.addf
  %c = arith.addf %a, %a : tensor<4xf32>
  // CHECK-NEXT: %[[CG:.*]] = collective.complete 0 of %[[G]] keeping %[[A]] : tensor<16xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[CS:.*]] = collective.complete 1 of %[[S]] : tensor<2xi64>
  // CHECK-NEXT: collective.complete 2 keeping %[[A]], %[[B]] : tensor<4xf32>, tensor<2xi64>
  %x:3 = collective.await %f : !collective.future<tensor<2xi64>, tensor<16xf32>, tensor<4xf32>>
  // CHECK-NEXT: %[[CR:.*]] = collective.complete 3 of %[[R]] : tensor<4xf32>
  %y = collective.await %h : !collective.future<tensor<4xf32>>
  // CHECK-NEXT: return %[[CG]], %[[CS]], %[[CR]]
  return %x#1, %x#0, %y : tensor<16xf32>, tensor<2xi64>, tensor<4xf32>
}

// What one hands to the next is neither awaited nor kept before the last has it.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
func.func @chain(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[P:.*]] = collective.reduce_scatter sum %[[A]] along 0 on @rows {collective.future = 0 : i64}
  // CHECK-NEXT: %[[S:.*]] = collective.all_reduce sum %[[P]] on @columns {collective.future = 1 : i64}
  // CHECK-NEXT: %[[G:.*]] = collective.all_gather %[[S]] along 0 on @rows {collective.future = 2 : i64}
  %f = collective.async {
    %p = collective.reduce_scatter sum %a along 0 on @rows : tensor<4xf32> -> tensor<2xf32>
    %s = collective.all_reduce sum %p on @columns : tensor<2xf32>
    %g = collective.all_gather %s along 0 on @rows : tensor<2xf32> -> tensor<4xf32>
    collective.yield %g : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // CHECK-NEXT: collective.complete 0 keeping %[[A]] : tensor<4xf32>
  // CHECK-NEXT: collective.complete 1{{ *$}}
  // CHECK-NEXT: %[[R:.*]] = collective.complete 2 of %[[G]] keeping %[[S]] : tensor<4xf32>, tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %r = collective.await %f : !collective.future<tensor<4xf32>>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @memory
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<16xf32>)
func.func @memory(%a: memref<4xf32>, %b: memref<16xf32>) {
  // CHECK-NEXT: collective.all_reduce sum %[[A]] into %[[A]] on @world {collective.future = 0 : i64}
  // CHECK-NEXT: collective.all_gather %[[A]] into %[[B]] along 0 on @world {collective.future = 1 : i64}
  // CHECK-NEXT: collective.barrier on @world {collective.future = 2 : i64}
  %f = collective.async {
    collective.all_reduce sum %a into %a on @world : memref<4xf32>
    collective.all_gather %a into %b along 0 on @world : memref<4xf32> -> memref<16xf32>
    collective.barrier on @world
  } : !collective.future
  // CHECK-NEXT: collective.complete 0 of %[[A]] : memref<4xf32>
  // CHECK-NEXT: collective.complete 1 of %[[B]] keeping %[[A]] : memref<16xf32>, memref<4xf32>
  // CHECK-NEXT: collective.complete 2
  collective.await %f : !collective.future
  return
}

// Without an async there is nothing to do.
// CHECK-LABEL: func.func @no_future
func.func @no_future(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: collective.all_reduce sum %{{.*}} on @world : tensor<4xf32>
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// On tensors, what is never awaited is never started.
// CHECK-LABEL: func.func @never_awaited
func.func @never_awaited(%a: tensor<4xf32>) {
  // CHECK-NEXT: return
  %f = collective.async {
    %r = collective.all_reduce sum %a on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  return
}
