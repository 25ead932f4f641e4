// The reduction comes before everything that is done with a gradient on its way to the update.
// RUN: dist-opt %s --distribute-reduce-gradients --distribute-verify-replication | FileCheck %s

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    %b = arith.constant dense<1.0> : tensor<2xf32>
    return %a, %b : tensor<4xf32>, tensor<2xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<2xf32> {train.variable = #b},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %y: tensor<2xf32> {train.input = #train.input<"y", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    // CHECK: %[[DA:.*]] = arith.mulf
    // CHECK: %[[DB:.*]] = arith.mulf
    %da = arith.mulf %a, %x : tensor<4xf32>
    %db = arith.mulf %b, %y : tensor<2xf32>
    // CHECK-NEXT: %[[RA:.*]] = collective.all_reduce mean %[[DA]] on @world
    // CHECK-NEXT: %[[RB:.*]] = collective.all_reduce mean %[[DB]] on @world
    // CHECK-NEXT: %[[UA:.*]] = train.unscale %[[RA]]
    %ua = train.unscale %da by %s : tensor<4xf32>
    // b is checked, measured and clipped as it is.
    // CHECK-NEXT: %[[F:.*]] = train.all_finite %[[UA]], %[[RB]]
    %finite = train.all_finite %ua, %db : tensor<4xf32>, tensor<2xf32>
    // CHECK-NEXT: train.global_norm %[[UA]], %[[RB]]
    %n = train.global_norm %ua, %db : tensor<4xf32>, tensor<2xf32>
    // CHECK-NEXT: train.clip %[[UA]]
    %ca = train.clip %ua norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    // CHECK-NEXT: train.clip %[[RB]]
    %cb = train.clip %db norm %n {max_norm = 1.0 : f32} : tensor<2xf32>
    // CHECK-NOT: all_reduce
    %a1 = train.sgd %a gradient %ca rate %lr : tensor<4xf32>, tensor<f32>
    %b1 = train.sgd %b gradient %cb rate %lr : tensor<2xf32>, tensor<f32>
    %a2 = train.select %finite, %a1, %a : tensor<4xf32>
    %b2 = train.select %finite, %b1, %b : tensor<2xf32>
    return %a2, %b2 : tensor<4xf32>, tensor<2xf32>
  }
}
