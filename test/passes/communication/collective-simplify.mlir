// Every rewrite of collective-simplify, and what must stay as it is.
// RUN: dist-opt %s --collective-simplify | FileCheck %s
// RUN: dist-opt %s --collective-simplify="reassociate" | FileCheck %s --check-prefix=FREE

collective.group @world {size = 8 : i64}
collective.group @rows members(#collective.blocks<4>)
collective.group @columns members(#collective.strided<4>)
collective.group @pair members(#collective.ranks<[[0, 1]]>)

// CHECK-LABEL: func.func @uniform
// CHECK-SAME: (%[[U:.*]]: tensor<4xf32>
// CHECK: %[[MEAN:.*]] = collective.all_reduce mean %[[U]]
// CHECK: %[[SUM:.*]] = collective.all_reduce sum %[[U]]
// CHECK-NOT: collective.
// CHECK: arith.constant dense<0.000000e+00> : tensor<32xf32>
// CHECK-COUNT-8: tensor.insert_slice %[[U]] into
// CHECK: return %[[MEAN]], %[[U]], %[[U]], %[[SUM]], %[[U]], %
// FREE-LABEL: func.func @uniform
// FREE-SAME: (%[[U:.*]]: tensor<4xf32>
// FREE-NOT: collective.
// FREE: %[[SUM:.*]] = arith.mulf %[[U]], %{{.*}} : tensor<4xf32>
// FREE-NOT: collective.
// FREE: return %[[U]], %[[U]], %[[U]], %[[SUM]], %[[U]], %
func.func @uniform(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<32xf32>) {
  %0 = collective.all_reduce mean %u on @world : tensor<4xf32>
  %1 = collective.all_reduce max %u on @rows : tensor<4xf32>
  %2 = collective.reduce min %u to 3 on @world : tensor<4xf32>
  %3 = collective.all_reduce sum %u on @world : tensor<4xf32>
  %4 = collective.broadcast %u from 2 on @world : tensor<4xf32>
  %5 = collective.all_gather %u along 0 on @world : tensor<4xf32> -> tensor<32xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<32xf32>
}

// Up to five floats are added as one product; more of f16, whose sum is taken in f32, and of integers. Tiny values of bf16
// may be lost in a product.
// CHECK-LABEL: func.func @exact_multiples
// CHECK-NOT: collective.
// CHECK: arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK: arith.mulf
// CHECK: arith.constant dense<8.000000e+00> : tensor<4xf16>
// CHECK: arith.mulf
// CHECK: collective.all_reduce sum %{{.*}} : tensor<4xbf16>
// CHECK: arith.constant dense<8> : tensor<4xi32>
// CHECK: arith.muli
// CHECK-NOT: collective.
func.func @exact_multiples(%a: tensor<4xf32> {train.variable = #train.variable<"a", other>}, %b: tensor<4xf16> {train.variable = #train.variable<"b", other>}, %c: tensor<4xbf16> {train.variable = #train.variable<"c", other>}, %d: tensor<4xi32> {train.variable = #train.variable<"d", other>}) -> (tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xi32>) {
  %0 = collective.all_reduce sum %a on @rows : tensor<4xf32>
  %1 = collective.all_reduce sum %b on @world : tensor<4xf16>
  %2 = collective.all_reduce sum %c on @world : tensor<4xbf16>
  %3 = collective.all_reduce sum %d on @world : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xi32>
}

// Of a bucket, only what is uniform leaves.
// CHECK-LABEL: func.func @part_of_a_bucket
// CHECK-SAME: (%[[U:.*]]: tensor<4xf32> {{.*}}, %[[V:.*]]: tensor<2xf32>)
// CHECK: %[[R:.*]] = collective.all_reduce max %[[V]] on @world : tensor<2xf32>
// CHECK: return %[[U]], %[[R]]
func.func @part_of_a_bucket(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = collective.all_reduce max %u, %v on @world : tensor<4xf32>, tensor<2xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
}

// What a collective gave to all members of a set is uniform in the set.
// CHECK-LABEL: func.func @again
// CHECK: %[[M:.*]] = collective.all_reduce max %{{.*}} on @rows
// CHECK-NEXT: %[[B:.*]] = collective.broadcast %{{.*}} from 0 on @rows
// CHECK-NEXT: return %[[M]], %[[B]]
func.func @again(%v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = collective.all_reduce max %v on @rows : tensor<4xf32>
  %1 = collective.all_reduce max %0 on @rows : tensor<4xf32>
  %2 = collective.broadcast %v from 0 on @rows : tensor<4xf32>
  %3 = collective.broadcast %2 from 1 on @rows : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// Eight times a float is not the sum of eight, a product is a power, and on a part of the world nothing is known of others.
// CHECK-LABEL: func.func @not_local
// CHECK: collective.all_reduce prod
// CHECK: collective.all_reduce sum %{{.*}} on @pair
// CHECK: collective.reduce sum
// CHECK: collective.all_reduce sum %{{.*}} on @world
func.func @not_local(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = collective.all_reduce prod %u on @world : tensor<4xf32>
  %1 = collective.all_reduce sum %u on @pair : tensor<4xf32>
  %2 = collective.reduce sum %u to 0 on @world : tensor<4xf32>
  %3 = collective.all_reduce sum %v on @world : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @own_part
// CHECK: collective.reduce_scatter sum %{{.*}} along 0 on @world : tensor<16x3xf32> -> tensor<2x3xf32>
// CHECK: collective.reduce_scatter mean %{{.*}} along 1 on @rows : tensor<16x4xf32> -> tensor<16x1xf32>
// CHECK-NOT: collective.all_reduce
func.func @own_part(%v: tensor<16x3xf32>, %w: tensor<16x4xf32>) -> (tensor<2x3xf32>, tensor<16x1xf32>) {
  %c2 = arith.constant 2 : index
  %rank = collective.rank on @world : index
  %at = arith.muli %rank, %c2 : index
  %0 = collective.all_reduce sum %v on @world : tensor<16x3xf32>
  %1 = tensor.extract_slice %0[%at, 0] [2, 3] [1, 1] : tensor<16x3xf32> to tensor<2x3xf32>
  %row = collective.rank on @rows : index
  %2 = collective.all_reduce mean %w on @rows : tensor<16x4xf32>
  %3 = tensor.extract_slice %2[0, %row] [16, 1] [1, 1] : tensor<16x4xf32> to tensor<16x1xf32>
  return %1, %3 : tensor<2x3xf32>, tensor<16x1xf32>
}

// Another rank's numbers, another length, or another use.
// CHECK-LABEL: func.func @not_own_part
// CHECK-NOT: reduce_scatter
// CHECK: return
func.func @not_own_part(%v: tensor<16xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<16xf32>, tensor<4xf32>) {
  %c2 = arith.constant 2 : index
  %rank = collective.rank on @world : index
  %row = collective.rank on @rows : index
  %at = arith.muli %rank, %c2 : index
  %other = arith.muli %row, %c2 : index
  %0 = collective.all_reduce sum %v on @world : tensor<16xf32>
  %1 = tensor.extract_slice %0[%other] [2] [1] : tensor<16xf32> to tensor<2xf32>
  %2 = collective.all_reduce max %v on @world : tensor<16xf32>
  %3 = tensor.extract_slice %2[%at] [2] [1] : tensor<16xf32> to tensor<2xf32>
  %4 = collective.all_reduce min %v on @world : tensor<16xf32>
  %5 = tensor.extract_slice %4[%at] [4] [1] : tensor<16xf32> to tensor<4xf32>
  return %1, %3, %2, %5 : tensor<2xf32>, tensor<2xf32>, tensor<16xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @pair
// CHECK: %[[R:.*]] = collective.all_reduce sum %{{.*}} on @world : tensor<16x3xf32>
// CHECK-NEXT: %[[P:.*]] = collective.reduce_scatter
// CHECK-NEXT: collective.all_gather %[[P]] along 1
// CHECK: collective.all_reduce max
func.func @pair_of_both(%v: tensor<16x3xf32>, %w: tensor<16x16xf32>) -> (tensor<16x3xf32>, tensor<2x128xf32>, tensor<16x16xf32>) {
  %0 = collective.reduce_scatter sum %v along 0 on @world : tensor<16x3xf32> -> tensor<2x3xf32>
  %1 = collective.all_gather %0 along 0 on @world : tensor<2x3xf32> -> tensor<16x3xf32>
  %2 = collective.reduce_scatter sum %w along 0 on @world : tensor<16x16xf32> -> tensor<2x16xf32>
  %3 = collective.all_gather %2 along 1 on @world : tensor<2x16xf32> -> tensor<2x128xf32>
  %4 = collective.reduce_scatter max %w along 1 on @rows : tensor<16x16xf32> -> tensor<16x4xf32>
  %5 = collective.all_gather %4 along 1 on @rows : tensor<16x4xf32> -> tensor<16x16xf32>
  return %1, %3, %5 : tensor<16x3xf32>, tensor<2x128xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func @sums
// FREE-LABEL: func.func @sums
func.func @sums(%i: tensor<4xi32>, %j: tensor<4xi32>, %v: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<4xi32>
  // CHECK: collective.all_reduce sum %[[S]] on @world : tensor<4xi32>
  %0 = collective.all_reduce sum %i on @world : tensor<4xi32>
  %1 = collective.all_reduce sum %j on @world : tensor<4xi32>
  %2 = arith.addi %0, %1 : tensor<4xi32>
  // The sum of two sums of floats rounds differently.
  // CHECK-COUNT-2: collective.all_reduce mean
  // FREE: %[[F:.*]] = arith.addf
  // FREE: collective.all_reduce mean %[[F]] on @world : tensor<4xf32>
  %3 = collective.all_reduce mean %v on @world : tensor<4xf32>
  %4 = collective.all_reduce mean %w on @world : tensor<4xf32>
  %5 = arith.addf %3, %4 : tensor<4xf32>
  // CHECK-COUNT-2: collective.all_reduce max
  // FREE-COUNT-2: collective.all_reduce max
  %6 = collective.all_reduce max %i on @world : tensor<4xi32>
  %7 = collective.all_reduce max %j on @world : tensor<4xi32>
  %8 = arith.addi %6, %7 : tensor<4xi32>
  return %2, %5, %8 : tensor<4xi32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @nested
// FREE-LABEL: func.func @nested
func.func @nested(%v: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: collective.all_reduce max %arg0 on @world : tensor<4xf32>
  %0 = collective.all_reduce max %v on @rows : tensor<4xf32>
  %1 = collective.all_reduce max %0 on @columns : tensor<4xf32>
  // CHECK-NEXT: collective.all_reduce sum %arg1 on @world : tensor<4xi32>
  %2 = collective.all_reduce sum %i on @columns : tensor<4xi32>
  %3 = collective.all_reduce sum %2 on @rows : tensor<4xi32>
  // CHECK-NEXT: collective.all_reduce mean %{{.*}} on @rows
  // CHECK-NEXT: collective.all_reduce mean %{{.*}} on @columns
  // FREE: collective.all_reduce mean %arg0 on @world : tensor<4xf32>
  %4 = collective.all_reduce mean %v on @rows : tensor<4xf32>
  %5 = collective.all_reduce mean %4 on @columns : tensor<4xf32>
  // Ranks 2 to 7 are in no pair.
  // CHECK: collective.all_reduce max %{{.*}} on @pair
  // CHECK-NEXT: collective.all_reduce max %{{.*}} on @columns
  %6 = collective.all_reduce max %v on @pair : tensor<4xf32>
  %7 = collective.all_reduce max %6 on @columns : tensor<4xf32>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK-SAME: (%[[H:.*]]: tensor<4xf16>, %[[B:.*]]: tensor<4xi8>, %[[C:.*]]: tensor<4xi1>)
func.func @narrow(%h: tensor<4xf16>, %b: tensor<4xi8>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<32xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %w = arith.extf %h : tensor<4xf16> to tensor<4xf32>
  %s = arith.extsi %b : tensor<4xi8> to tensor<4xi32>
  %u = arith.extui %b : tensor<4xi8> to tensor<4xi32>
  %z = arith.extui %c : tensor<4xi1> to tensor<4xi32>
  // CHECK-DAG: %[[M:.*]] = collective.all_reduce max %[[H]] on @world : tensor<4xf16>
  // CHECK-DAG: arith.extf %[[M]] : tensor<4xf16> to tensor<4xf32>
  %0 = collective.all_reduce max %w on @world : tensor<4xf32>
  // CHECK-DAG: %[[G:.*]] = collective.all_gather %[[H]] along 0 on @world : tensor<4xf16> -> tensor<32xf16>
  // CHECK-DAG: arith.extf %[[G]] : tensor<32xf16> to tensor<32xf32>
  %1 = collective.all_gather %w along 0 on @world : tensor<4xf32> -> tensor<32xf32>
  // CHECK-DAG: %[[N:.*]] = collective.all_reduce min %[[B]] on @world : tensor<4xi8>
  // CHECK-DAG: arith.extsi %[[N]]
  %2 = collective.all_reduce min %s on @world : tensor<4xi32>
  // Zero extension does not keep the order of signed numbers, a sum needs the wide ones, and booleans are not reduced.
  // CHECK-DAG: collective.all_reduce min %{{.*}} on @world : tensor<4xi32>
  %3 = collective.all_reduce min %u on @world : tensor<4xi32>
  // CHECK-DAG: collective.all_reduce sum %{{.*}} on @world : tensor<4xf32>
  %4 = collective.all_reduce sum %w on @world : tensor<4xf32>
  // CHECK-DAG: collective.all_reduce max %{{.*}} on @world : tensor<4xi32>
  %5 = collective.all_reduce max %z on @world : tensor<4xi32>
  // CHECK-DAG: %[[D:.*]] = collective.broadcast %[[C]] from 0 on @world : tensor<4xi1>
  // CHECK-DAG: arith.extui %[[D]]
  %6 = collective.broadcast %z from 0 on @world : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<32xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// What runs beside the program, and what is on memrefs, is left to those who put it there.
// CHECK-LABEL: func.func @left_alone
// CHECK: collective.all_reduce mean
// CHECK: collective.all_reduce max
func.func @left_alone(%u: tensor<4xf32> {train.variable = #train.variable<"u", other>}, %m: memref<4xf32>) -> tensor<4xf32> {
  %f = collective.async {
    %r = collective.all_reduce mean %u on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %0 = collective.await %f : !collective.future<tensor<4xf32>>
  collective.all_reduce max %m into %m on @world : memref<4xf32>
  return %0 : tensor<4xf32>
}
