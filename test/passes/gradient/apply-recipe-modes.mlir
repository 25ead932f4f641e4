// Which batch normalizations train by the batch: where a layer was exported in training mode, the others keep theirs.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = dist-opt %t.mlir --train-apply-recipe="loss=output:y %{recipe}" --remarks=text --remarks-filter=train-apply-recipe 2>&1 | FileCheck %s --check-prefix=%{prefix}
// RUN: cp %s %t.mlir

// REDEFINE: %{prefix} = MIXED
// RUN: %{check}
// MIXED: remark{{.*}}1 normalization works by running statistics, as in inference, which stay as they are
// MIXED-LABEL: func.func @step
// MIXED: onnx.BatchNormalization {{.*}}training_mode = 1
// MIXED: onnx.BatchNormalization
// MIXED-NOT: training_mode
// MIXED: train.gradient

// A glob of statistics alone freezes them; one of weights, too, does not.
// REDEFINE: %{recipe} = freeze=first.m,first.v
// REDEFINE: %{prefix} = FROZEN
// RUN: %{check}
// FROZEN: remark{{.*}}2 normalizations work by running statistics
// FROZEN-LABEL: func.func @step
// FROZEN-NOT: training_mode
// FROZEN: train.gradient
// REDEFINE: %{recipe} = freeze=first.*
// REDEFINE: %{prefix} = MIXED
// RUN: %{check}

// A model that was exported in inference mode trains as a whole.
// REDEFINE: %{recipe} =
// REDEFINE: %{prefix} = ALL
// RUN: sed 's/ {training_mode = 1 : i64}//' %s > %t.mlir
// RUN: %{check}
// ALL-NOT: by running statistics
// ALL-LABEL: func.func @step
// ALL-COUNT-2: onnx.BatchNormalization {{.*}}training_mode = 1
// REDEFINE: %{recipe} = freeze=second.m
// REDEFINE: %{prefix} = MIXED
// RUN: %{check}
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"first.s", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"first.m", other>},
                              tensor<3xf32> {train.variable = #train.variable<"first.v", other>},
                              tensor<3xf32> {train.variable = #train.variable<"second.s", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"second.m", other>},
                              tensor<3xf32> {train.variable = #train.variable<"second.v", other>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0, %0, %0, %0, %0, %0 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @forward(%s: tensor<3xf32> {train.variable = #train.variable<"first.s", trainable>},
                     %m: tensor<3xf32> {train.variable = #train.variable<"first.m", other>},
                     %v: tensor<3xf32> {train.variable = #train.variable<"first.v", other>},
                     %t: tensor<3xf32> {train.variable = #train.variable<"second.s", trainable>},
                     %n: tensor<3xf32> {train.variable = #train.variable<"second.m", other>},
                     %w: tensor<3xf32> {train.variable = #train.variable<"second.v", other>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.metric = "y"}) {
    %a, %am, %av = onnx.BatchNormalization %x, %s, %s, %m, %v {training_mode = 1 : i64}
      : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %b, %bm, %bv = onnx.BatchNormalization %a, %t, %t, %n, %w
      : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %y = onnx.ReduceMean %b {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    return %y : tensor<f32>
  }
}
