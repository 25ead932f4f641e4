// train-apply-recipe: @forward and a recipe become @step and @evaluate.
// RUN: split-file %s %t
// RUN: dist-opt %t/linear.mlir --train-apply-recipe="learning-rate=0.5 global-batch=64" | FileCheck %t/linear.mlir
// RUN: dist-opt %t/layers.mlir --train-apply-recipe="optimizer=sgd" | FileCheck %t/layers.mlir
// RUN: dist-opt %t/loss.mlir --train-apply-recipe="loss=output freeze=w" | FileCheck %t/loss.mlir
// RUN: dist-opt %t/shared.mlir --train-apply-recipe | FileCheck %t/shared.mlir
// RUN: dist-opt %t/loss-of-batch.mlir --train-apply-recipe="loss=output" | FileCheck %t/loss-of-batch.mlir
// RUN: dist-opt %t/step.mlir --train-apply-recipe="global-batch=32" | FileCheck %t/step.mlir --check-prefix=BATCH
// RUN: dist-opt %t/step.mlir --train-apply-recipe | FileCheck %t/step.mlir --check-prefix=NOTHING

//--- linear.mlir
// CHECK: train.dataset @data {global_batch = 64 : i64}
// CHECK-LABEL: func.func @initialize
// CHECK-NOT: arith.constant
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32> {train.input = #train.input<"x", @data>}
// CHECK-SAME: %[[LABEL:[a-z0-9]+]]: tensor<?xi64> {train.input = #train.input<"label", @data>}
// CHECK-SAME: %[[RATE:[a-z0-9]+]]: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 5.000000e-01 : f64>}
// CHECK-SAME: -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"})
// CHECK: %[[Y:.+]] = onnx.MatMul %[[X]], %[[W]]
// CHECK: %[[LOSS:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss %[[Y]], %[[LABEL]]
// CHECK: %[[G:.+]] = train.gradient %[[LOSS]] wrt %[[W]]
// CHECK: %[[NEW:.+]] = train.sgd %[[W]] gradient %[[G]] rate %[[RATE]]
// CHECK-NOT: norm_coefficient
// CHECK: return %[[NEW]], %[[LOSS]]
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<?xf32> {train.metric = "loss"}, tensor<?xf32> {train.metric = "accuracy"})
// CHECK: %[[YE:.+]] = onnx.MatMul
// CHECK: %[[LOSSES:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss %[[YE]], %[[LABELE:[a-z0-9]+]] {reduction = "none"} {{.*}} -> (tensor<?xf32>, tensor<?x3xf32>)
// CHECK: %[[RIGHT:.+]] = train.accuracy %[[YE]], %[[LABELE]]
// CHECK: return %[[LOSSES]], %[[RIGHT]]
// CHECK-NOT: @forward
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

//--- layers.mlir
// Batch normalization and dropout, whatever mode they come in; running statistics are updated by @step alone.
// CHECK-LABEL: func.func @step
// CHECK: onnx.Constant dense<true> : tensor<i1>
// CHECK: onnx.Dropout {{.*}} training %{{[a-z0-9_]+}}
// CHECK: %[[Y:.+]], %[[MEAN:.+]], %[[VAR:.+]] = onnx.BatchNormalization {{.*}}training_mode = 1
// CHECK: train.gradient {{.*}} wrt %[[S:[a-z0-9]+]], %[[B:[a-z0-9]+]] :
// CHECK: %[[NS:.+]] = train.sgd %[[S]]
// CHECK: %[[NB:.+]] = train.sgd %[[B]]
// CHECK: return %[[NS]], %[[NB]], %[[MEAN]], %[[VAR]],
// CHECK-LABEL: func.func @evaluate
// CHECK: onnx.Constant dense<false> : tensor<i1>
// CHECK: onnx.Dropout
// CHECK: onnx.BatchNormalization
// CHECK-NOT: training_mode
// CHECK: onnx.SoftmaxCrossEntropyLoss
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"s", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"b", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"m", other>},
                              tensor<3xf32> {train.variable = #train.variable<"v", other>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0, %0, %0, %0 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @forward(%s: tensor<3xf32> {train.variable = #train.variable<"s", trainable>},
                     %b: tensor<3xf32> {train.variable = #train.variable<"b", trainable>},
                     %m: tensor<3xf32> {train.variable = #train.variable<"m", other>},
                     %v: tensor<3xf32> {train.variable = #train.variable<"v", other>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x3xf32> {train.output = "y"}) {
    %d, %mask = onnx.Dropout %x : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xi1>)
    %y, %rm, %rv = onnx.BatchNormalization %d, %s, %b, %m, %v {training_mode = 1 : i64}
      : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %y : tensor<?x3xf32>
  }
}

//--- loss.mlir
// The graph ends in its loss; other outputs stay; a frozen variable is one of class other and is returned as it is.
// CHECK-LABEL: func.func @initialize
// CHECK-SAME: #train.variable<"w", other>
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x3xf32> {train.variable = #train.variable<"w", other>}
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<3xf32> {train.variable = #train.variable<"b", trainable>}
// CHECK-SAME: tensor<f32> {train.metric = "loss"}, tensor<?x3xf32> {train.output = "logits"})
// CHECK: %[[LOSS:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss
// CHECK: train.gradient %[[LOSS]] wrt %[[B]] :
// CHECK: %[[NB:.+]] = train.sgd
// CHECK-NOT: train.sgd
// CHECK: return %[[W]], %[[NB]], %[[LOSS]], %{{[0-9]+}} :
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: #train.variable<"w", other>
// CHECK: reduction = "none"
// CHECK: train.accuracy
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"b", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    %1 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0, %1 : tensor<4x3xf32>, tensor<3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %b: tensor<3xf32> {train.variable = #train.variable<"b", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"label", @data>})
      -> (tensor<?x3xf32> {train.output = "logits"}, tensor<f32> {train.metric = "cost"}) {
    %0 = onnx.Gemm %x, %w, %b : (tensor<?x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %0, %t : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
    return %0, %loss : tensor<?x3xf32>, tensor<f32>
  }
}

//--- shared.mlir
// One layer used twice updates its statistics twice, in order.
// CHECK-LABEL: func.func @step
// CHECK: %[[Y:.+]], %{{.+}}, %[[V1:.+]] = onnx.BatchNormalization %{{[a-z0-9]+}}, %[[S:[a-z0-9]+]], %[[S]], %[[M:[a-z0-9]+]], %[[M]] {
// CHECK: %{{.+}}, %{{.+}}, %[[V2:.+]] = onnx.BatchNormalization %[[Y]], %[[S]], %[[S]], %[[V1]], %[[V1]] {
// CHECK: return %{{.+}}, %[[V2]], %
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"s", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"m", other>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0, %0 : tensor<3xf32>, tensor<3xf32>
  }
  func.func @forward(%s: tensor<3xf32> {train.variable = #train.variable<"s", trainable>},
                     %m: tensor<3xf32> {train.variable = #train.variable<"m", other>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x3xf32> {train.output = "y"}) {
    %y, %rm, %rv = onnx.BatchNormalization %x, %s, %s, %m, %m
      : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %z, %rm2, %rv2 = onnx.BatchNormalization %y, %s, %s, %m, %m
      : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %z : tensor<?x3xf32>
  }
}

//--- loss-of-batch.mlir
// A loss that is not taken apart into samples: @evaluate returns what it is of a batch.
// CHECK-LABEL: func.func @step
// CHECK: train.gradient
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.batch_mean = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %0 = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %1 = onnx.ReduceMean %0 {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}

//--- step.mlir
// A program that has its step: only the batch can be set, and without keys nothing changes.
// BATCH: train.dataset @data {global_batch = 32 : i64}
// NOTHING: train.dataset @data{{$}}
// NOTHING: func.func @step
module attributes {train.program} {
  train.dataset @data
  func.func @step(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    return %w : tensor<3xf32>
  }
}
