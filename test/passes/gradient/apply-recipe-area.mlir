// With one logit a sample, @evaluate has scores and labels of the area under the ROC curve.
// RUN: dist-opt %s --train-apply-recipe="loss=bce-with-logits" | FileCheck %s
// RUN: dist-opt %s --train-apply-recipe="loss=mse" | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @step
// CHECK-NOT: area_metric
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: %[[LABEL:[a-z0-9]+]]: tensor<?x1xf32> {train.input = #train.input<"label", @data>}
// CHECK-SAME: -> (tensor<?xf32> {train.metric = "loss"}, tensor<?x1xf32> {train.area_metric = "auc"}, tensor<?x1xf32> {train.metric_label = ["auc"]})
// CHECK: %[[Y:.+]] = onnx.MatMul
// CHECK: return %{{.+}}, %[[Y]], %[[LABEL]]
// OTHER-NOT: area_metric
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x1xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x1xf32>
    return %0 : tensor<4x1xf32>
  }
  func.func @forward(%w: tensor<4x1xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x1xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
    return %0 : tensor<?x1xf32>
  }
}
