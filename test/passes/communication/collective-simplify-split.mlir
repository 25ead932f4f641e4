// The other direction: each all_reduce in two halves, where the ranks divide it.
// RUN: dist-opt %s --collective-simplify="split-all-reduce" | FileCheck %s

collective.group @world {size = 4 : i64}

// CHECK-LABEL: func.func @halves
func.func @halves(%v: tensor<8x3xf32>, %w: tensor<6xf32>, %s: tensor<f32>) -> (tensor<8x3xf32>, tensor<6xf32>, tensor<f32>) {
  // CHECK: %[[P:.*]] = collective.reduce_scatter mean %{{.*}} along 0 on @world : tensor<8x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: collective.all_gather %[[P]] along 0 on @world : tensor<2x3xf32> -> tensor<8x3xf32>
  %0 = collective.all_reduce mean %v on @world : tensor<8x3xf32>
  // CHECK-NEXT: collective.all_reduce mean %{{.*}} : tensor<6xf32>
  %1 = collective.all_reduce mean %w on @world : tensor<6xf32>
  // CHECK-NEXT: collective.all_reduce mean %{{.*}} : tensor<f32>
  %2 = collective.all_reduce mean %s on @world : tensor<f32>
  return %0, %1, %2 : tensor<8x3xf32>, tensor<6xf32>, tensor<f32>
}
