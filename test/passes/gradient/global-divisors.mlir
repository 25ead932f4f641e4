// What a loss is divided by is that of the whole batch, if it counts samples.
// RUN: dist-opt %s --train-global-divisors --split-input-file | FileCheck %s

// Labels that are not ignored, with the weights of their classes.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>{{.*}}, %[[LABEL:.*]]: tensor<?xi64>
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %label: tensor<?xi64> {train.input = #train.input<"label", @data>})
      -> (tensor<f32> {train.metric = "loss"}, tensor<f32> {train.metric = "plain"}) {
    %w = onnx.Constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    // CHECK: %[[IGNORED:.*]] = onnx.Equal %[[LABEL]], %{{.*}}
    // CHECK: %[[KNOWN:.*]] = onnx.Where %[[IGNORED]], %{{.*}}, %[[LABEL]]
    // CHECK: %[[WEIGHT:.*]] = onnx.Gather %{{.*}}, %[[KNOWN]]
    // CHECK: %[[COUNTED:.*]] = onnx.Where %[[IGNORED]], %{{.*}}, %[[WEIGHT]]
    // CHECK: %[[COUNT:.*]] = onnx.ReduceSum %[[COUNTED]]
    // CHECK: %[[TOTAL:.*]] = train.batch_total %[[COUNT]] : tensor<f32>
    // CHECK: %[[SHARE:.*]] = train.batch_share %[[TOTAL]] : tensor<f32>
    // CHECK: %[[SUM:.*]], %{{.*}} = onnx.SoftmaxCrossEntropyLoss {{.*}}ignore_index = -100{{.*}}reduction = "sum"
    // CHECK: %[[LOSS:.*]] = onnx.Div %[[SUM]], %[[SHARE]]
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %x, %label, %w {ignore_index = -100 : i64} : (tensor<?x4xf32>, tensor<?xi64>, tensor<4xf32>) -> (tensor<f32>, tensor<?x4xf32>)
    // All labels count alike: as many as samples.
    // CHECK: %[[PLAIN:.*]], %{{.*}} = onnx.SoftmaxCrossEntropyLoss %[[X]], %[[LABEL]] : (
    %plain, %q = onnx.SoftmaxCrossEntropyLoss %x, %label : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x4xf32>)
    // CHECK: return %[[LOSS]], %[[PLAIN]]
    return %loss, %plain : tensor<f32>, tensor<f32>
  }
}

// -----

// A gradient that the model brings.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%p: tensor<?x4xf32> {train.input = #train.input<"p", @data>}, %label: tensor<?xi64> {train.input = #train.input<"label", @data>},
                  %dy: tensor<f32>) -> tensor<?x4xf32> {
    // CHECK: onnx.Not
    // CHECK: onnx.Cast
    // CHECK: %[[COUNT:.*]] = onnx.ReduceSum
    // CHECK: %[[TOTAL:.*]] = train.batch_total %[[COUNT]]
    // CHECK: %[[SHARE:.*]] = train.batch_share %[[TOTAL]]
    // CHECK: %[[DY:.*]] = onnx.Div %{{.*}}, %[[SHARE]]
    // CHECK: onnx.SoftmaxCrossEntropyLossGrad %[[DY]], %{{.*}}, %{{.*}} {ignore_index = -100 : i64, reduction = "sum"}
    %dx = onnx.SoftmaxCrossEntropyLossGrad %dy, %p, %label {ignore_index = -100 : i64} : (tensor<f32>, tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
    return %dx : tensor<?x4xf32>
  }
}
