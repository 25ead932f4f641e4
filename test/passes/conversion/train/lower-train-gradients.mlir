// Loss scaling and clipping become loops; a skipped step is skipped within the optimizer's own.
// RUN: dist-opt %s --lower-train --split-input-file | FileCheck %s

// CHECK-LABEL: @unscale
// CHECK-SAME: (%[[G:[a-z0-9]+]]: tensor<4xf16>, %[[S:[a-z0-9]+]]: tensor<f32>)
func.func @unscale(%g: tensor<4xf16>, %s: tensor<f32>) -> tensor<4xf16> {
  // The reciprocal is taken once, and the product is rounded by itself.
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = []} ins(%[[S]] : tensor<f32>)
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  // CHECK: linalg.generic {{.*}} ins(%[[G]], %[[R]] : tensor<4xf16>, tensor<f32>)
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %0 = train.unscale %g by %s : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// CHECK-LABEL: @all_finite
func.func @all_finite(%a: tensor<2x3xf32>, %b: tensor<4xf64>, %c: tensor<f32>) -> tensor<i1> {
  // CHECK-COUNT-3: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
  // CHECK-NEXT: %[[ABC:.*]] = arith.addf %[[AB]], %[[C]]
  // CHECK-NEXT: linalg.yield %[[ABC]]
  // CHECK: arith.cmpf oeq
  %0 = train.all_finite %a, %b, %c : tensor<2x3xf32>, tensor<4xf64>, tensor<f32>
  return %0 : tensor<i1>
}

// -----

// CHECK-LABEL: @clip
// CHECK-SAME: (%[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>)
func.func @clip(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[A]] : tensor<2x3xf32>)
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[B]] : tensor<4xf32>)
  // CHECK: math.sqrt
  %n = train.global_norm %a, %b : tensor<2x3xf32>, tensor<4xf32>
  // CHECK: %[[LIMIT:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK: arith.divf %[[LIMIT]]
  // CHECK: arith.minimumf
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<2x3xf32>, tensor<f32>)
  %0 = train.clip %a norm %n {max_norm = 2.0 : f32} : tensor<2x3xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[B]], %{{.*}} : tensor<4xf32>, tensor<f32>)
  %1 = train.clip %b norm %n {max_norm = 2.0 : f32} : tensor<4xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @sum_of_squares
func.func @sum_of_squares(%a: tensor<2x3xf16>, %b: tensor<4xf32>) -> tensor<f32> {
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK-COUNT-2: arith.mulf %[[E:.*]], %[[E]] : f32
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = []}
  // CHECK-NOT: math.sqrt
  // CHECK: return %[[SUM]]
  %0 = train.sum_of_squares %a, %b : tensor<2x3xf16>, tensor<4xf32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: @skipped_update
// CHECK-SAME: (%[[W:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>, %[[V:[a-z0-9]+]]: tensor<4xf32>, %[[LR:[a-z0-9]+]]: tensor<f32>, %[[F:[a-z0-9]+]]: tensor<i1>)
func.func @skipped_update(%w: tensor<4xf32>, %g: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>, %f: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[G]], %[[LR]], %[[F]] : {{.*}}) outs(%[[W]], %[[V]] : tensor<4xf32>, tensor<4xf32>)
  // CHECK-COUNT-2: arith.select
  // CHECK: return %[[R]]#0, %[[R]]#1
  %0:2 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 9.0e-1 : f32} : tensor<4xf32>, tensor<f32>
  %1 = train.select %f, %0#0, %w : tensor<4xf32>
  %2 = train.select %f, %0#1, %v : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An update that is used elsewhere too is not skipped there; nor is one half of an update.
// CHECK-LABEL: @used_twice
// CHECK-SAME: (%[[W:[a-z0-9]+]]: tensor<4xf32>, {{.*}}, %[[F:[a-z0-9]+]]: tensor<i1>)
func.func @used_twice(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %f: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[NEW:.*]] = linalg.generic {{.*}} outs(%[[W]] : tensor<4xf32>)
  // CHECK: %[[KEPT:.*]] = linalg.generic {{.*}} ins(%[[F]], %[[NEW]] : tensor<i1>, tensor<4xf32>) outs(%[[W]] : tensor<4xf32>)
  // CHECK: return %[[KEPT]], %[[NEW]]
  %0 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
  %1 = train.select %f, %0, %w : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What decides must be known before the update.
// CHECK-LABEL: @decided_later
func.func @decided_later(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  // CHECK: %[[NEW:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
  %0 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
  // CHECK: arith.cmpf oeq
  %f = train.all_finite %g : tensor<4xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[NEW]] : tensor<i1>, tensor<4xf32>)
  %1 = train.select %f, %0, %w : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @update_loss_scale
// CHECK-SAME: (%[[S:[a-z0-9]+]]: tensor<f32>, %[[T:[a-z0-9]+]]: tensor<i64>, %[[F:[a-z0-9]+]]: tensor<i1>)
func.func @update_loss_scale(%s: tensor<f32>, %t: tensor<i64>, %f: tensor<i1>) -> (tensor<f32>, tensor<i64>) {
  // CHECK: linalg.generic {{.*}} ins(%[[F]] : tensor<i1>) outs(%[[S]], %[[T]] : tensor<f32>, tensor<i64>)
  // CHECK: arith.constant 2000 : i64
  %0:2 = train.update_loss_scale %s tracker %t finite %f
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}
