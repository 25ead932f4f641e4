// Losses that train-apply-recipe adds to scores, for @step and for each sample of @evaluate.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = dist-opt %s --train-apply-recipe="%{recipe}" | FileCheck %s --check-prefix=%{prefix}

// REDEFINE: %{recipe} = loss=l1
// REDEFINE: %{prefix} = L1
// RUN: %{check}
// L1-LABEL: func.func @step
// L1-SAME: %[[LABEL:[a-z0-9]+]]: tensor<?x3xf32> {train.input = #train.input<"label", @data>}
// L1: %[[Y:.+]] = onnx.MatMul
// L1: %[[D:.+]] = onnx.Sub %[[Y]], %[[LABEL]]
// L1: %[[A:.+]] = onnx.Abs %[[D]]
// L1: %[[LOSS:.+]] = onnx.ReduceMean %[[A]] {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
// L1: train.gradient %[[LOSS]]
// L1-LABEL: func.func @evaluate
// L1-SAME: -> (tensor<?xf32> {train.metric = "loss"})
// L1: onnx.ReduceMean %{{.+}} {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<?xf32>

// REDEFINE: %{recipe} = loss=bce-with-logits
// REDEFINE: %{prefix} = BCE
// RUN: %{check}
// BCE-LABEL: func.func @step
// BCE-SAME: %[[LABEL:[a-z0-9]+]]: tensor<?x3xf32> {train.input = #train.input<"label", @data>}
// BCE: %[[Y:.+]] = onnx.MatMul
// BCE: %[[N:.+]] = onnx.Neg %[[Y]]
// BCE: %[[T:.+]] = onnx.Softplus %[[N]]
// BCE: %[[F:.+]] = onnx.Softplus %[[Y]]
// BCE: onnx.ReduceMean {{.*}} -> tensor<f32>
// BCE-LABEL: func.func @evaluate
// BCE-SAME: -> (tensor<?xf32> {train.metric = "loss"})

// REDEFINE: %{recipe} = loss=nll
// REDEFINE: %{prefix} = NLL
// RUN: %{check}
// NLL-LABEL: func.func @step
// NLL-SAME: %[[LABEL:[a-z0-9]+]]: tensor<?xi64> {train.input = #train.input<"label", @data>}
// NLL: %[[Y:.+]] = onnx.MatMul
// NLL: %[[NEGATIVE:.+]] = onnx.Less %[[LABEL]], %{{.*}} : (tensor<?xi64>, tensor<i64>) -> tensor<?xi1>
// NLL: %[[OUTSIDE:.+]] = onnx.Sub %[[LABEL]], %{{.*}} : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// NLL: %[[CLASS:.+]] = onnx.Where %[[NEGATIVE]], %[[OUTSIDE]], %[[LABEL]]
// NLL: %[[COLUMN:.+]] = onnx.Unsqueeze %[[CLASS]] {axes = array<i64: 1>}
// NLL: %[[CHOSEN:.+]] = onnx.GatherElements %[[Y]], %[[COLUMN]] {axis = 1 : i64}
// NLL: %[[ROW:.+]] = onnx.Squeeze %[[CHOSEN]] {axes = array<i64: 1>}
// NLL: %[[N:.+]] = onnx.Neg %[[ROW]]
// NLL: onnx.ReduceMean %[[N]]
// NLL-LABEL: func.func @evaluate
// NLL-SAME: -> (tensor<?xf32> {train.metric = "loss"}, tensor<?xf32> {train.metric = "accuracy"})
// NLL: %[[LOSSES:.+]] = onnx.Neg
// NLL: %[[RIGHT:.+]] = train.accuracy
// NLL: return %[[LOSSES]], %[[RIGHT]]

// REDEFINE: %{recipe} = label-smoothing=0.25
// REDEFINE: %{prefix} = SMOOTH
// RUN: %{check}
// SMOOTH-LABEL: func.func @step
// SMOOTH: %[[Y:.+]] = onnx.MatMul
// SMOOTH: %[[E:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss %[[Y]], %{{.+}} {reduction = "none"}
// SMOOTH: %[[P:.+]] = onnx.LogSoftmax %[[Y]] {axis = 1 : i64}
// SMOOTH: %[[ALL:.+]] = onnx.ReduceMean %[[P]] {axes = array<i64: 1>, keepdims = 0 : i64}
// SMOOTH: onnx.Constant dense<7.500000e-01> : tensor<f32>
// SMOOTH: onnx.Constant dense<2.500000e-01> : tensor<f32>
// SMOOTH: onnx.ReduceMean {{.*}} (tensor<?xf32>) -> tensor<f32>
// SMOOTH-LABEL: func.func @evaluate
// SMOOTH-SAME: -> (tensor<?xf32> {train.metric = "loss"}, tensor<?xf32> {train.metric = "accuracy"})

module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x3xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}
