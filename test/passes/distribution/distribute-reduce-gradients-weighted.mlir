// Where ranks hold unequal parts of a batch, the mean is the sum of gradients weighted by the parts; the weight stands
// once. A sum needs no weight.
// RUN: dist-opt %s --distribute-reduce-gradients | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-reduce-gradients="reduction=sum" | FileCheck %s --check-prefixes=CHECK,SUM

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf16> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4xf16>
    %b = arith.constant dense<1.0> : tensor<4xf32>
    return %a, %b : tensor<4xf16>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%a: tensor<4xf16> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b},
                  %x: tensor<4xf16> {train.input = #train.input<"x", @data>}, %y: tensor<4xf32> {train.input = #train.input<"y", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf16> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    // MEAN: %[[HALF:.*]] = train.batch_weight @data : tensor<f16>
    // MEAN-NEXT: %[[SA:.*]] = train.scale %[[X:.*]] by %[[HALF]] : tensor<4xf16>, tensor<f16>
    // MEAN-NEXT: collective.all_reduce sum %[[SA]] on @world : tensor<4xf16>
    // MEAN-NEXT: %[[WEIGHT:.*]] = train.batch_weight @data : tensor<f32>
    // MEAN-NEXT: %[[SB:.*]] = train.scale %[[Y:.*]] by %[[WEIGHT]] : tensor<4xf32>, tensor<f32>
    // MEAN-NEXT: collective.all_reduce sum %[[SB]] on @world : tensor<4xf32>
    // SUM-NOT: train.scale
    // SUM-COUNT-2: collective.all_reduce sum
    // CHECK-NOT: train.scale
    // CHECK: return
    %a1 = train.sgd %a gradient %x rate %lr : tensor<4xf16>, tensor<f32>
    %b1 = train.sgd %b gradient %y rate %lr : tensor<4xf32>, tensor<f32>
    return %a1, %b1 : tensor<4xf16>, tensor<4xf32>
  }
}
