// RUN: dist-opt %s --split-input-file --verify-diagnostics --collective-fuse | FileCheck %s

// CHECK-LABEL: func.func @two_sums_are_one_call
func.func @two_sums_are_one_call(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  // CHECK: collective.all_reduce sum %{{.*}}, %{{.*}} on @world
  // CHECK-NOT: collective.all_reduce
  %x = collective.all_reduce sum %a on @world : tensor<4xf32>
  %y = collective.all_reduce sum %b on @world : tensor<2xf32>
  return %x, %y : tensor<4xf32>, tensor<2xf32>
}
collective.group @world

// -----

func.func @nobody_is_the_group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'collective.all_reduce' op}}
  %x = collective.all_reduce sum %a on @nobody : tensor<4xf32>
  return %x : tensor<4xf32>
}
