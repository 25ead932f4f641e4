// A collective of what another gives is in no bucket with it, nor does the bucket of the one come after that of the other.
// RUN: dist-opt %s --collective-fuse | FileCheck %s

collective.group @world

// CHECK-LABEL: func.func @sum_of_sum
func.func @sum_of_sum(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[ONE:.*]] = collective.all_reduce sum %arg0 on @world : tensor<4xf32>
  // CHECK: %[[TWO:.*]] = collective.all_reduce sum %[[ONE]] on @world : tensor<4xf32>
  // CHECK: return %[[TWO]]
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  %1 = collective.all_reduce sum %0 on @world : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The largest of a sum is ready with that sum, though it stands after one that is ready later.
// CHECK-LABEL: func.func @of_two_kinds
func.func @of_two_kinds(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[SUM:.*]] = collective.all_reduce sum %arg0 on @world : tensor<4xf32>
  // CHECK: %[[MAX:.*]]:2 = collective.all_reduce max {{.*}}%[[SUM]]{{.*}} on @world
  // CHECK: collective.all_reduce sum %{{.*}} on @world : tensor<4xf32>
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  %1 = arith.addf %b, %b : tensor<4xf32>
  %2 = collective.all_reduce max %c on @world : tensor<4xf32>
  %3 = collective.all_reduce max %0 on @world : tensor<4xf32>
  %4 = collective.all_reduce sum %1 on @world : tensor<4xf32>
  return %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A bucket that is there stays where it is, so that what it takes can wait for each other.
// CHECK-LABEL: func.func @into_a_bucket
func.func @into_a_bucket(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[LARGEST:.*]]:2 = collective.all_reduce max %arg0, %{{.*}} on @world
  // CHECK: collective.all_reduce sum %[[LARGEST]]#0, %[[LARGEST]]#1 on @world
  %0 = collective.all_reduce max %a on @world : tensor<4xf32>
  %1 = arith.addf %b, %b : tensor<4xf32>
  %2 = collective.all_reduce max %1 on @world : tensor<4xf32>
  %3:2 = collective.all_reduce sum %0, %2 on @world : tensor<4xf32>, tensor<4xf32>
  return %3#0, %3#1 : tensor<4xf32>, tensor<4xf32>
}
