// Where exchanges, messages and collectives with a root receive; what is in use while communication runs stays as it is.
// RUN: dist-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --split-input-file | FileCheck %s

collective.group @world {size = 4 : i64}
collective.group @some members(#collective.ranks<[[0, 1]]>)

// Ranks that are not the root find zeros.
// CHECK-LABEL: func.func @gathered
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>)
func.func @gathered(%a: tensor<4xf32>) -> tensor<16xf32> {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[R:.*]] = memref.alloc() {{.*}}: memref<16xf32>
  // CHECK: linalg.fill ins(%[[ZERO]] : f32) outs(%[[R]] : memref<16xf32>)
  // CHECK: collective.gather %[[A]] into %[[R]] along 0 to 0 on @world
  %0 = collective.gather %a along 0 to 0 on @world : tensor<4xf32> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// So do ranks that are in no set.
// CHECK-LABEL: func.func @scattered_to_some
func.func @scattered_to_some(%a: tensor<4xi64>) -> (tensor<2xi64>, tensor<1xi64>) {
  // CHECK: linalg.fill {{.*}} outs(%[[R:.*]] : memref<2xi64>)
  // CHECK: collective.scatter %{{.*}} into %[[R]] along 0 from 0 on @some
  %0 = collective.scatter %a along 0 from 0 on @some : tensor<4xi64> -> tensor<2xi64>
  // CHECK-NOT: linalg.fill
  // CHECK: collective.scatter %{{.*}} into %{{.*}} along 0 from 0 on @world
  %1 = collective.scatter %a along 0 from 0 on @world : tensor<4xi64> -> tensor<1xi64>
  return %0, %1 : tensor<2xi64>, tensor<1xi64>
}

// CHECK-LABEL: func.func @reduced_in_place
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>)
func.func @reduced_in_place(%a: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  // CHECK-NEXT: collective.reduce sum %[[A]] into %[[A]] to 0 on @world
  // CHECK-NEXT: return %[[A]]
  %0 = collective.reduce sum %a to 0 on @world : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @rows_are_received_in_place
// CHECK-SAME: (%[[A:.*]]: memref<8x2xf32>, %[[I:.*]]: memref<8x2xf32>, %[[C:.*]]: memref<4xi64>, %[[T:.*]]: memref<4x4xi64>)
func.func @rows_are_received_in_place(%a: tensor<8x2xf32>, %i: tensor<8x2xf32>, %c: tensor<4xi64>, %t: tensor<4x4xi64>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}}: memref<8x2xf32>
  // CHECK: memref.copy %[[I]], %[[COPY]]
  // CHECK: collective.all_to_all_v %[[A]] into %[[COPY]] send(%[[C]], %[[C]]) receive(%[[C]], %[[C]]) on @world
  %0 = collective.all_to_all_v %a into %i send(%c, %c) receive(%c, %c) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>
  // CHECK: collective.all_to_all_vc %[[A]] into %[[I]] counts(%[[T]]) on @world
  %1 = collective.all_to_all_vc %a into %i counts(%t) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4x4xi64>
  return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @messages
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[P:.*]]: index)
func.func @messages(%a: tensor<4xf32>, %p: index) -> (tensor<4xf32>, tensor<2xi8>) {
  // CHECK: collective.send %[[A]] to %[[P]] tag 1 on @world : memref<4xf32>
  collective.send %a to %p tag 1 on @world : tensor<4xf32>
  // CHECK-DAG: %[[X:.*]] = memref.alloc() {{.*}}: memref<4xf32>
  // CHECK-DAG: %[[Y:.*]] = memref.alloc() {{.*}}: memref<2xi8>
  // CHECK: collective.recv into %[[X]], %[[Y]] from %[[P]] tag 2 on @world : memref<4xf32>, memref<2xi8>
  %r:2 = collective.recv from %p tag 2 on @world : tensor<4xf32>, tensor<2xi8>
  // CHECK: return %[[X]], %[[Y]]
  return %r#0, %r#1 : tensor<4xf32>, tensor<2xi8>
}

// A column has gaps between its elements, rows do not: the network knows no gaps.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[A:.*]]: memref<8x2xf32>, %[[P:.*]]: index)
func.func @slices(%a: tensor<8x2xf32>, %p: index) {
  %column = tensor.extract_slice %a[0, 1] [8, 1] [1, 1] : tensor<8x2xf32> to tensor<8x1xf32>
  %rows = tensor.extract_slice %a[2, 0] [4, 2] [1, 1] : tensor<8x2xf32> to tensor<4x2xf32>
  // CHECK-DAG: %[[COLUMN:.*]] = memref.subview %[[A]][0, 1]
  // CHECK-DAG: %[[ROWS:.*]] = memref.subview %[[A]][2, 0]
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}}: memref<8x1xf32>
  // CHECK: linalg.copy ins(%[[COLUMN]] : {{.*}}) outs(%[[COPY]] : memref<8x1xf32>)
  // CHECK: collective.send %[[COPY]], %[[ROWS]] to %[[P]]
  collective.send %column, %rows to %p tag 1 on @world : tensor<8x1xf32>, tensor<4x2xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}

// The buffer of %a is read until the gather is complete, so that doubling it needs another one; afterwards it does not.
// CHECK-LABEL: func.func @what_is_on_its_way_is_not_overwritten
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>)
func.func @what_is_on_its_way_is_not_overwritten(%a: tensor<4xf32> {bufferization.writable = true}) -> (tensor<16xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = memref.alloc() {{.*}}: memref<16xf32>
  // CHECK: collective.all_gather %[[A]] into %[[R]] along 0 on @world {collective.future = 0 : i64}
  %0 = collective.all_gather %a along 0 on @world {collective.future = 0 : i64} : tensor<4xf32> -> tensor<16xf32>
  // CHECK: %[[D:.*]] = memref.alloc() {{.*}}: memref<4xf32>
  // CHECK: linalg.map { arith.addf } ins(%[[A]], %[[A]] : memref<4xf32>, memref<4xf32>) outs(%[[D]] : memref<4xf32>)
  %doubled = linalg.map { arith.addf } ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
  // CHECK: collective.complete 0 of %[[R]] keeping %[[A]] : memref<16xf32>, memref<4xf32>
  %1 = collective.complete 0 of %0 keeping %a : tensor<16xf32>, tensor<4xf32>
  // CHECK: return %[[R]], %[[D]]
  return %1, %doubled : tensor<16xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @what_has_arrived_is_overwritten
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>)
func.func @what_has_arrived_is_overwritten(%a: tensor<4xf32> {bufferization.writable = true}) -> (tensor<16xf32>, tensor<4xf32>) {
  %0 = collective.all_gather %a along 0 on @world {collective.future = 0 : i64} : tensor<4xf32> -> tensor<16xf32>
  %1 = collective.complete 0 of %0 keeping %a : tensor<16xf32>, tensor<4xf32>
  // CHECK: collective.complete 0
  // CHECK-NEXT: linalg.map { arith.addf } ins(%[[A]], %[[A]] : memref<4xf32>, memref<4xf32>) outs(%[[A]] : memref<4xf32>)
  %doubled = linalg.map { arith.addf } ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
  return %1, %doubled : tensor<16xf32>, tensor<4xf32>
}

// A sum that is on its way in the buffer of %a must not be overwritten by what is computed meanwhile, though that is the
// last reader of %a.
// CHECK-LABEL: func.func @what_arrives_is_not_overwritten
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>)
func.func @what_arrives_is_not_overwritten(%a: tensor<4xf32> {bufferization.writable = true}) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}}: memref<4xf32>
  // CHECK: memref.copy %[[A]], %[[COPY]]
  // CHECK: collective.all_reduce sum %[[SUM:.*]] into %[[SUM]] on @world {collective.future = 0 : i64}
  %0 = collective.all_reduce sum %a on @world {collective.future = 0 : i64} : tensor<4xf32>
  // CHECK: linalg.map { arith.addf } {{.*}} outs(%[[DOUBLED:.*]] : memref<4xf32>)
  %doubled = linalg.map { arith.addf } ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
  // CHECK: collective.complete 0 of %[[SUM]]
  %1 = collective.complete 0 of %0 : tensor<4xf32>
  // CHECK: return %[[SUM]], %[[DOUBLED]]
  return %1, %doubled : tensor<4xf32>, tensor<4xf32>
}
