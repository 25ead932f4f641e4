// Every operation of the dialect, on tensors and on memrefs, parses, prints and parses again.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s

// CHECK: collective.group @world{{$}}
collective.group @world
// CHECK: collective.group @four {size = 4 : i64}
collective.group @four {size = 4 : i64}

// CHECK-LABEL: func.func @a_bucket_of_tensors
func.func @a_bucket_of_tensors(%a: tensor<4xf32>, %b: tensor<2x?xbf16>) -> (tensor<4xf32>, tensor<2x?xbf16>) {
  // CHECK: %{{.*}}:2 = collective.all_reduce mean %{{.*}}, %{{.*}} on @world : tensor<4xf32>, tensor<2x?xbf16>{{$}}
  %r:2 = collective.all_reduce mean %a, %b on @world : tensor<4xf32>, tensor<2x?xbf16>
  // CHECK: %{{.*}}:2 = collective.broadcast %{{.*}}, %{{.*}} from 3 on @four : tensor<4xf32>, tensor<2x?xbf16>
  %s:2 = collective.broadcast %r#0, %r#1 from 3 on @four : tensor<4xf32>, tensor<2x?xbf16>
  return %s#0, %s#1 : tensor<4xf32>, tensor<2x?xbf16>
}

// CHECK-LABEL: func.func @every_reduction
func.func @every_reduction(%a: tensor<i32>) -> tensor<i32> {
  // CHECK: all_reduce sum
  %0 = collective.all_reduce sum %a on @world : tensor<i32>
  // CHECK: all_reduce min
  %1 = collective.all_reduce min %0 on @world : tensor<i32>
  // CHECK: all_reduce max
  %2 = collective.all_reduce max %1 on @world : tensor<i32>
  // CHECK: all_reduce prod
  %3 = collective.all_reduce prod %2 on @world : tensor<i32>
  return %3 : tensor<i32>
}

// CHECK-LABEL: func.func @shapes_that_change
func.func @shapes_that_change(%a: tensor<8x3xf32>, %p: tensor<5xi1>) -> (tensor<?x3xf32>, tensor<8x12xf32>, tensor<2x3xf32>, tensor<?xi1>) {
  // CHECK: collective.all_gather %{{.*}} along 0 on @world : tensor<8x3xf32> -> tensor<?x3xf32>
  %0 = collective.all_gather %a along 0 on @world : tensor<8x3xf32> -> tensor<?x3xf32>
  // CHECK: collective.all_gather %{{.*}} along 1 on @four : tensor<8x3xf32> -> tensor<8x12xf32>
  %1 = collective.all_gather %a along 1 on @four : tensor<8x3xf32> -> tensor<8x12xf32>
  // CHECK: collective.reduce_scatter max %{{.*}} along 0 on @four : tensor<8x3xf32> -> tensor<2x3xf32>
  %2 = collective.reduce_scatter max %a along 0 on @four : tensor<8x3xf32> -> tensor<2x3xf32>
  // CHECK: collective.all_gather %{{.*}} : tensor<5xi1> -> tensor<?xi1>
  %3 = collective.all_gather %p along 0 on @world : tensor<5xi1> -> tensor<?xi1>
  return %0, %1, %2, %3 : tensor<?x3xf32>, tensor<8x12xf32>, tensor<2x3xf32>, tensor<?xi1>
}

// CHECK-LABEL: func.func @buffers
func.func @buffers(%a: memref<4xf32>, %b: memref<4xf32, strided<[2]>>, %c: memref<16xf32>) {
  // CHECK: collective.all_reduce sum %{{.*}} into %{{.*}} on @world : memref<4xf32>{{$}}
  collective.all_reduce sum %a into %a on @world : memref<4xf32>
  // CHECK: collective.all_reduce sum %{{.*}}, %{{.*}} into %{{.*}}, %{{.*}} on @world : memref<4xf32>, memref<4xf32, strided<[2]>> -> memref<4xf32, strided<[2]>>, memref<4xf32>
  collective.all_reduce sum %a, %b into %b, %a on @world : memref<4xf32>, memref<4xf32, strided<[2]>> -> memref<4xf32, strided<[2]>>, memref<4xf32>
  // CHECK: collective.broadcast %{{.*}} into %{{.*}} from 0 on @world : memref<4xf32>
  collective.broadcast %a into %a from 0 on @world : memref<4xf32>
  // CHECK: collective.all_gather %{{.*}} into %{{.*}} along 0 on @four : memref<4xf32> -> memref<16xf32>
  collective.all_gather %a into %c along 0 on @four : memref<4xf32> -> memref<16xf32>
  // CHECK: collective.reduce_scatter sum %{{.*}} into %{{.*}} along 0 on @four : memref<16xf32> -> memref<4xf32>
  collective.reduce_scatter sum %c into %a along 0 on @four : memref<16xf32> -> memref<4xf32>
  return
}

// CHECK-LABEL: func.func @questions
func.func @questions() -> (index, index) {
  // CHECK: %[[RANK:.*]] = collective.rank on @world : index
  %rank = collective.rank on @world : index
  // CHECK: %[[SIZE:.*]] = collective.size on @world : index
  %size = collective.size on @world : index
  // CHECK: collective.barrier on @world
  collective.barrier on @world
  // CHECK: return %[[RANK]], %[[SIZE]]
  return %rank, %size : index, index
}

// Empty tensors are nothing special.
// CHECK-LABEL: func.func @empty_tensors
func.func @empty_tensors(%a: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0x3xf32>) {
  // CHECK: all_reduce sum %{{.*}} on @world : tensor<0x3xf32>
  %0 = collective.all_reduce sum %a on @world : tensor<0x3xf32>
  // CHECK: all_gather %{{.*}} along 0 on @four : tensor<0x3xf32>{{$}}
  %1 = collective.all_gather %a along 0 on @four : tensor<0x3xf32>
  return %0, %1 : tensor<0x3xf32>, tensor<0x3xf32>
}
