// all_reduce and broadcast work in place and copy only what is still needed; all_gather and reduce_scatter receive into
// buffers of their own.
// RUN: dist-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

collective.group @world

// CHECK-LABEL: func.func @the_last_use_is_reduced_in_place
func.func @the_last_use_is_reduced_in_place(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = linalg.map { arith.addf } ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
  %y = linalg.map { arith.mulf } ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>)
  // CHECK-NOT: memref.copy
  // CHECK: collective.all_reduce mean %[[P:.*]], %[[Q:.*]] into %[[P]], %[[Q]] on @world
  %0:2 = collective.all_reduce mean %x, %y on @world : tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @a_value_that_is_read_later_is_copied
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>)
func.func @a_value_that_is_read_later_is_copied(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}}: memref<4xf32>
  // CHECK: memref.copy %[[A]], %[[COPY]]
  // CHECK: collective.broadcast %[[COPY]] into %[[COPY]] from 0 on @world
  %0 = collective.broadcast %a from 0 on @world : tensor<4xf32>
  return %0, %a : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @a_gathered_value_has_a_buffer_of_its_own
// CHECK-SAME: (%[[A:.*]]: memref<4x3xf32>)
func.func @a_gathered_value_has_a_buffer_of_its_own(%a: tensor<4x3xf32>) -> tensor<?x3xf32> {
  // CHECK: %[[SIZE:.*]] = collective.size on @world
  // CHECK: %[[ROWS:.*]] = arith.muli %[[SIZE]], %{{.*}}
  // CHECK: %[[R:.*]] = memref.alloc(%[[ROWS]]) {{.*}}: memref<?x3xf32>
  // CHECK: collective.all_gather %[[A]] into %[[R]] along 0 on @world : memref<4x3xf32> -> memref<?x3xf32>
  %0 = collective.all_gather %a along 0 on @world : tensor<4x3xf32> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @a_scattered_value_has_a_buffer_of_its_own
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>)
func.func @a_scattered_value_has_a_buffer_of_its_own(%a: tensor<8xf32>) -> tensor<?xf32> {
  // CHECK: %[[PART:.*]] = arith.divui %{{.*}}, %{{.*}} : index
  // CHECK: %[[R:.*]] = memref.alloc(%[[PART]]) {{.*}}: memref<?xf32>
  // CHECK: collective.reduce_scatter sum %[[A]] into %[[R]] along 0 on @world : memref<8xf32> -> memref<?xf32>
  %0 = collective.reduce_scatter sum %a along 0 on @world : tensor<8xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
