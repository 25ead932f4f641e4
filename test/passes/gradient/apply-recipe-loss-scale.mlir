// Loss scaling and clipping by a recipe: what is inserted where, in programs with @forward and with @step.
// RUN: dist-opt %s --split-input-file --train-apply-recipe="optimizer=adam loss-scale=dynamic loss-scale-growth-interval=100 clip-norm=2" | FileCheck %s
// RUN: dist-opt %s --split-input-file --train-apply-recipe="optimizer=adam loss-scale=128" | FileCheck %s --check-prefix=STATIC
// RUN: dist-opt %s --split-input-file --train="optimizer=adam loss-scale=dynamic clip-norm=2" --distribute --specialize-world="ranks=2" -o %t

module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: {train.variable = #train.variable<"step", other>}, tensor<f32> {train.variable = #train.variable<"loss_scale", state>}, tensor<i64> {train.variable = #train.variable<"loss_scale.growth_tracker", state>})
  // CHECK: arith.constant dense<6.553600e+04> : tensor<f32>
  // CHECK: arith.constant dense<0> : tensor<i64>
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<0.5> : tensor<4x3xf32>
    return %w : tensor<4x3xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}
  // CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4x3xf32> {train.variable = #train.variable<"w.exp_avg", state>}
  // CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {train.variable = #train.variable<"step", other>}
  // CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<f32> {train.variable = #train.variable<"loss_scale", state>}
  // CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<i64> {train.variable = #train.variable<"loss_scale.growth_tracker", state>}
  // CHECK-SAME: tensor<f32> {train.metric = "loss"}, tensor<f32> {train.metric = "loss_scale"}, tensor<f32> {train.metric = "skipped"})
  // CHECK: %[[LOSS:[a-z]+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss
  // CHECK: %[[SCALED:.+]] = train.scale %[[LOSS]] by %[[S]]
  // CHECK: %[[G:.+]] = train.gradient %[[SCALED]] wrt %[[W]]
  // CHECK: %[[U:.+]] = train.unscale %[[G]] by %[[S]]
  // CHECK: %[[F:.+]] = train.all_finite %[[U]]
  // CHECK: %[[N:.+]] = train.global_norm %[[U]]
  // CHECK: %[[CLIPPED:.+]] = train.clip %[[U]] norm %[[N]] {max_norm = 2.000000e+00 : f32}
  // CHECK: %[[NW:.+]], %[[NM:.+]], %[[NV:.+]] = train.adam %[[W]] gradient %[[CLIPPED]]
  // CHECK: %[[KW:.+]] = train.select %[[F]], %[[NW]], %[[W]]
  // CHECK: %[[KM:.+]] = train.select %[[F]], %[[NM]], %[[M]]
  // CHECK: train.select %[[F]], %[[NV]]
  // CHECK: %[[KT:.+]] = train.select %[[F]], %{{.+}}, %[[T]]
  // CHECK: %[[NS:.+]], %[[NC:.+]] = train.update_loss_scale %[[S]] tracker %[[C]] finite %[[F]] {growth_interval = 100 : i64}
  // CHECK: %[[SKIPPED:.+]] = train.select %[[F]], %{{.+}}, %{{.+}} : tensor<f32>
  // CHECK: return %[[KW]], %[[KM]], %{{.+}}, %[[KT]], %[[NS]], %[[NC]], %[[LOSS]], %[[S]], %[[SKIPPED]] :
  // STATIC-LABEL: func.func @initialize
  // STATIC-NOT: loss_scale
  // STATIC-LABEL: func.func @step
  // STATIC-SAME: tensor<f32> {train.metric = "loss"}, tensor<f32> {train.metric = "skipped"})
  // STATIC: arith.constant dense<1.280000e+02> : tensor<f32>
  // STATIC-NOT: train.clip
  // STATIC-NOT: train.update_loss_scale
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x3xf32> {train.output = "logits"}) {
    %y = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
}
