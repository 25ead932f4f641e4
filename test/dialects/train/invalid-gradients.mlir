// One negative test for each constraint of what stands between gradients and update.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @all_finite_c1_of_nothing() {
  // expected-error @below {{'train.all_finite' op needs at least one tensor}}
  %0 = "train.all_finite"() : () -> tensor<i1>
  return
}

// -----
func.func @global_norm_c1_of_nothing() {
  // expected-error @below {{'train.global_norm' op needs at least one tensor}}
  %0 = "train.global_norm"() : () -> tensor<f32>
  return
}

// -----
func.func @sum_of_squares_c1_of_nothing() {
  // expected-error @below {{'train.sum_of_squares' op needs at least one tensor}}
  %0 = "train.sum_of_squares"() : () -> tensor<f32>
  return
}

// -----
func.func @clip_c1_no_length(%g: tensor<4xf32>, %n: tensor<f32>) {
  // expected-error @below {{'train.clip' op max_norm must be a positive, finite number, got 0.000000e+00 : f32}}
  %0 = train.clip %g norm %n {max_norm = 0.0 : f32} : tensor<4xf32>
  return
}

// -----
func.func @update_loss_scale_c1_shrinks(%s: tensor<f32>, %t: tensor<i64>, %f: tensor<i1>) {
  // expected-error @below {{growth_factor must be at least 1 and finite, got 5.000000e-01 : f32}}
  %0:2 = train.update_loss_scale %s tracker %t finite %f {growth_factor = 0.5 : f32}
  return
}

// -----
func.func @update_loss_scale_c2_grows(%s: tensor<f32>, %t: tensor<i64>, %f: tensor<i1>) {
  // expected-error @below {{backoff_factor must be above 0 and below 1, got 1.000000e+00 : f32}}
  %0:2 = train.update_loss_scale %s tracker %t finite %f {backoff_factor = 1.0 : f32}
  return
}

// -----
func.func @update_loss_scale_c3_at_once(%s: tensor<f32>, %t: tensor<i64>, %f: tensor<i1>) {
  // expected-error @below {{growth_interval must be positive, got 0 : i64}}
  %0:2 = train.update_loss_scale %s tracker %t finite %f {growth_interval = 0 : i64}
  return
}
