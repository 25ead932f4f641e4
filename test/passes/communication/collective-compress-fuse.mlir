// Narrowed where they are made and widened where they are used, gradients are one bucket.
// RUN: dist-opt %s --collective-compress="type=f16" --collective-fuse | FileCheck %s
// CHECK-LABEL: func.func @fused
collective.group @world {size = 2 : i64}
func.func @fused(%v: tensor<4xf32>, %w: tensor<8xf32>, %a: tensor<4xf32>, %b: tensor<8xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // CHECK: %[[G:.*]] = arith.negf
  // CHECK-NEXT: %[[GM:.*]] = train.scale %[[G]]
  // CHECK-NEXT: %[[GN:.*]] = arith.truncf %[[GM]] {collective.wire} : tensor<4xf32> to tensor<4xf16>
  %g = arith.negf %a : tensor<4xf32>
  // CHECK-NEXT: %[[H:.*]] = arith.negf
  // CHECK-NEXT: %[[HM:.*]] = train.scale %[[H]]
  // CHECK-NEXT: %[[HN:.*]] = arith.truncf %[[HM]] {collective.wire} : tensor<8xf32> to tensor<8xf16>
  // CHECK-NEXT: %[[R:.*]]:2 = collective.all_reduce sum %[[GN]], %[[HN]] on @world : tensor<4xf16>, tensor<8xf16>
  %h = arith.negf %b : tensor<8xf32>
  // CHECK-NEXT: arith.addf
  %later = arith.addf %g, %g : tensor<4xf32>
  %rg = collective.all_reduce mean %g on @world : tensor<4xf32>
  %rh = collective.all_reduce mean %h on @world : tensor<8xf32>
  // CHECK-NEXT: %[[GW:.*]] = arith.extf %[[R]]#0 {collective.wire}
  // CHECK-NEXT: train.sgd %{{.*}} gradient %[[GW]]
  %v1 = train.sgd %v gradient %rg rate %lr : tensor<4xf32>, tensor<f32>
  // CHECK-NEXT: %[[HW:.*]] = arith.extf %[[R]]#1 {collective.wire}
  // CHECK-NEXT: train.sgd %{{.*}} gradient %[[HW]]
  %w1 = train.sgd %w gradient %rh rate %lr : tensor<8xf32>, tensor<f32>
  %v2 = arith.addf %v1, %later : tensor<4xf32>
  return %v2, %w1 : tensor<4xf32>, tensor<8xf32>
}
