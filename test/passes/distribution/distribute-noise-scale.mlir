// Norms of gradients of one rank and of all, which one scalar is reduced for, become metrics.
// RUN: dist-opt %s --distribute-noise-scale | FileCheck %s
// RUN: dist-opt %s --distribute-noise-scale --distribute-verify-replication --collective-verify-order -o /dev/null

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 3 : i64}
  train.dataset @data {global_batch = 60 : i64, shard = #train.shard<strided, error, @world, ranks = 3>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (tensor<4xf32> {train.variable = #train.variable<"a", trainable>}, tensor<4xf32> {train.variable = #train.variable<"b", trainable>}, tensor<f32> {train.metric = "loss"},
  // CHECK-SAME: tensor<f32> {train.metric = "noise_scale"}, tensor<f32> {train.metric = "noise_scale.variance"}, tensor<f32> {train.metric = "noise_scale.gradient"})
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<f32> {train.metric = "loss"}) {
    %s = arith.constant dense<8.0> : tensor<f32>
    // CHECK: %[[G:.*]] = onnx.ReduceMean
    %g = onnx.ReduceMean %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    // CHECK: %[[H:.*]] = onnx.Neg
    %h = onnx.Neg %g : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[RG:.*]] = collective.all_reduce mean %[[G]]
    %rg = collective.all_reduce mean %g on @world : tensor<4xf32>
    // CHECK: %[[RH:.*]] = collective.all_reduce mean %[[H]]
    %rh = collective.all_reduce mean %h on @world : tensor<4xf32>
    // CHECK: %[[UG:.*]] = train.unscale %[[RG]] by %[[S:.*]] :
    %ug = train.unscale %rg by %s : tensor<4xf32>
    // CHECK: %[[UH:.*]] = train.unscale %[[RH]] by %[[S]] :
    %uh = train.unscale %rh by %s : tensor<4xf32>
    // As if the loss had not been scaled.
    // CHECK-NEXT: %[[OG:.*]] = train.unscale %[[G]] by %[[S]] :
    // CHECK-NEXT: %[[OH:.*]] = train.unscale %[[H]] by %[[S]] :
    // CHECK-NEXT: %[[OWN:.*]] = train.sum_of_squares %[[OG]], %[[OH]] :
    // CHECK-NEXT: %[[BIG:.*]] = train.sum_of_squares %[[UG]], %[[UH]] :
    // CHECK-NEXT: %[[SMALL:.*]] = collective.all_reduce mean %[[OWN]] on @world : tensor<f32>
    // CHECK-NEXT: %[[D:.*]] = arith.subf %[[SMALL]], %[[BIG]]
    // 60 samples on 3 ranks: 60 / 2, and 1 / 2.
    // CHECK: arith.constant dense<3.000000e+01>
    // CHECK: %[[VARIANCE:.*]] = arith.mulf %[[D]],
    // CHECK: arith.constant dense<5.000000e-01>
    // CHECK: %[[BIAS:.*]] = arith.mulf %[[D]],
    // CHECK: %[[TRUE:.*]] = arith.subf %[[BIG]], %[[BIAS]]
    // CHECK: %[[SCALE:.*]] = arith.divf %[[VARIANCE]], %[[TRUE]]
    %a1 = train.sgd %a gradient %ug rate %lr : tensor<4xf32>, tensor<f32>
    %b1 = train.sgd %b gradient %uh rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: return %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[SCALE]], %[[VARIANCE]], %[[TRUE]] :
    return %a1, %b1, %lr : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}
