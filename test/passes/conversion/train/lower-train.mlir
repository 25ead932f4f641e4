// Optimizers become one loop each that writes the variable and its states where they are.
// RUN: dist-opt %s --lower-train --split-input-file | FileCheck %s

// CHECK-LABEL: @sgd
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>, %[[LR:.*]]: tensor<f32>)
func.func @sgd(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {{.*}} ins(%[[G]], %[[LR]] : tensor<4xf32>, tensor<f32>) outs(%[[W]] : tensor<4xf32>)
  // CHECK: ^bb0(%[[GI:.*]]: f32, %[[LRI:.*]]: f32, %[[WI:.*]]: f32):
  // CHECK-NEXT: %[[D:.*]] = arith.mulf %[[LRI]], %[[GI]]
  // CHECK-NEXT: arith.subf %[[WI]], %[[D]]
  // CHECK-NEXT: linalg.yield
  // CHECK-NOT: linalg.generic
  %0 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @momentum_in_its_first_step
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>, %[[LR:.*]]: tensor<f32>, %[[T:.*]]: tensor<i64>)
func.func @momentum_in_its_first_step(%w: tensor<4xf32>, %g: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>, %t: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // The weight of the gradient is computed once.
  // CHECK: %[[B:.*]] = linalg.generic {{.*}} iterator_types = []} ins(%[[LR]], %[[T]] : tensor<f32>, tensor<i64>)
  // CHECK: linalg.generic {{.*}} ins(%[[G]], %[[LR]], %[[B]] : {{.*}}) outs(%[[W]], %[[V]] : tensor<4xf32>, tensor<4xf32>)
  %0:2 = train.momentum %w gradient %g velocity %v rate %lr step %t {alpha = 9.0e-1 : f32, beta = 5.0e-1 : f32} : tensor<4xf32>, tensor<f32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @adagrad_without_decay
// CHECK-SAME: %[[LR:[a-z0-9]*]]: tensor<f32>)
func.func @adagrad_without_decay(%w: tensor<4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[LR]] : tensor<4xf32>, tensor<f32>) outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
  // CHECK-NOT: linalg.generic
  %0:2 = train.adagrad %w gradient %g accumulator %h rate %lr : tensor<4xf32>, tensor<f32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @adamw
func.func @adamw(%w: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>, %t: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // The corrections are computed once, in f64.
  // CHECK-COUNT-2: math.powf %{{.*}} : f64
  // CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // Each operation is rounded by itself, so that parts of a variable are updated to the bits of the whole.
  // CHECK-NOT: fastmath
  // CHECK: linalg.yield
  %0:3 = train.adamw %w gradient %g moments %m, %v rate %lr step %t : tensor<4xf32>, tensor<f32>
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @lamb
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>, %[[R:.*]]: tensor<f32>, %[[T:.*]]: tensor<i64>)
func.func @lamb(%w: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>, %t: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: math.powf %{{.*}} : f64
  // One loop makes the direction and the moments, two the norms, and the last one moves the variable.
  // CHECK: %[[MOVED:.*]]:3 = linalg.generic {{.*}} ins(%[[G]], %{{.*}}, %{{.*}}, %[[W]] : {{.*}} outs(%{{.*}}, %[[M]], %[[V]] :
  // CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<4xf32>) outs(%{{.*}} : tensor<f32>)
  // CHECK: math.sqrt
  // CHECK: linalg.generic {{.*}} ins(%[[MOVED]]#0 : tensor<4xf32>) outs(%{{.*}} : tensor<f32>)
  // CHECK: math.sqrt
  // CHECK: %[[RATE:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %[[R]] :
  // CHECK-COUNT-2: arith.select
  // CHECK: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[MOVED]]#0, %[[RATE]] : tensor<4xf32>, tensor<f32>) outs(%[[W]] : tensor<4xf32>)
  // CHECK: return %[[NEW]], %[[MOVED]]#1, %[[MOVED]]#2
  %0:3 = train.lamb %w gradient %g moments %m, %v rate %lr step %t : tensor<4xf32>, tensor<f32>
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What was moved is multiplied, not what is to be.
// CHECK-LABEL: @adamw_decay_last
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
func.func @adamw_decay_last(%w: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>, %t: tensor<i64>) -> tensor<4xf32> {
  // CHECK: linalg.generic {{.*}} outs(%[[W]]
  // CHECK: %[[KEPT:.+]] = arith.subf %{{.+}}, %{{.+}} : f32
  // CHECK: %[[MOVED:.+]] = arith.subf %{{.+}}, %{{.+}} : f32
  // CHECK: %[[DECAYED:.+]] = arith.mulf %[[MOVED]], %[[KEPT]]
  // CHECK: linalg.yield %[[DECAYED]], %
  %0:3 = train.adamw %w gradient %g moments %m, %v rate %lr step %t {decay_last} : tensor<4xf32>, tensor<f32>
  return %0#0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @the_rest
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<f32>)
func.func @the_rest(%x: tensor<4xf32>, %f: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = train.mark_gradient %x : tensor<4xf32>
  // CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
  %1 = train.full_like %x, 1.0 : tensor<4xf32>
  // CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[F]] : tensor<4xf32>, tensor<f32>)
  %2 = train.scale %x by %f : tensor<4xf32>, tensor<f32>
  // CHECK: return %[[X]], %[[ONES]], %[[S]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @accuracy
func.func @accuracy(%s: tensor<8x4xf32>, %l: tensor<8xi64>) -> tensor<8xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: linalg.index 1
  %0 = train.accuracy %s, %l : tensor<8x4xf32>, tensor<8xi64> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @nothing_to_do
func.func @nothing_to_do(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return
  return %x : tensor<4xf32>
}
