// What stands between the gradients of a step and its update parses, prints and parses again.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @chain
func.func @chain(%w: tensor<4x10xf32>, %g: tensor<4x10xf32>, %h: tensor<10xf16>, %s: tensor<f32>, %t: tensor<i64>) {
  // CHECK: train.unscale %{{.*}} by %{{.*}} : tensor<4x10xf32>
  %u = train.unscale %g by %s : tensor<4x10xf32>
  // CHECK: train.all_finite %{{.*}}, %{{.*}} : tensor<4x10xf32>, tensor<10xf16>
  %finite = train.all_finite %u, %h : tensor<4x10xf32>, tensor<10xf16>
  // CHECK: train.global_norm %{{.*}}, %{{.*}} : tensor<4x10xf32>, tensor<10xf16>
  %n = train.global_norm %u, %h : tensor<4x10xf32>, tensor<10xf16>
  // CHECK: train.sum_of_squares %{{.*}}, %{{.*}} : tensor<4x10xf32>, tensor<10xf16>
  %squares = train.sum_of_squares %u, %h : tensor<4x10xf32>, tensor<10xf16>
  // CHECK: train.clip %{{.*}} norm %{{.*}} {max_norm = 1.000000e+00 : f32} : tensor<4x10xf32>
  %c = train.clip %u norm %n {max_norm = 1.0 : f32} : tensor<4x10xf32>
  // CHECK: train.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x10xf32>
  %w1 = train.select %finite, %c, %w : tensor<4x10xf32>
  // CHECK: train.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>
  %t0 = train.select %finite, %t, %t : tensor<i64>
  // CHECK: train.update_loss_scale %{{.*}} tracker %{{.*}} finite %{{.*}} {growth_interval = 100 : i64}
  %s1, %t1 = train.update_loss_scale %s tracker %t finite %finite {growth_interval = 100 : i64}
  return
}
