// Each rank backs off its loss scale by what it found.
// Thread: https://github.com/pytorch/pytorch/pull/115710
// found_inf was read before its reduction was complete, so that only some ranks changed the scale.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#s = #train.variable<"loss_scale", state>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %s = arith.constant dense<1024.0> : tensor<f32>
    return %w, %s : tensor<4xf32>, tensor<f32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %s: tensor<f32> {train.variable = #s},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %u = train.unscale %r by %s : tensor<4xf32>
    %w1 = train.sgd %w gradient %u rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'train.all_finite' comes before 'collective.all_reduce', so that 'train.update_loss_scale' would do something else on each rank
    %f = train.all_finite %g : tensor<4xf32>
    %t = arith.constant dense<0> : tensor<i64>
    %s1, %t1 = train.update_loss_scale %s tracker %t finite %f
    return %w1, %s1 : tensor<4xf32>, tensor<f32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#s = #train.variable<"loss_scale", state>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %s = arith.constant dense<1024.0> : tensor<f32>
    return %w, %s : tensor<4xf32>, tensor<f32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %s: tensor<f32> {train.variable = #s},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %u = train.unscale %r by %s : tensor<4xf32>
    %w1 = train.sgd %w gradient %u rate %lr : tensor<4xf32>, tensor<f32>
    %f = train.all_finite %u : tensor<4xf32>
    %t = arith.constant dense<0> : tensor<i64>
    %s1, %t1 = train.update_loss_scale %s tracker %t finite %f
    return %w1, %s1 : tensor<4xf32>, tensor<f32>
  }
}
