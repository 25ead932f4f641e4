// A row of zeros that padding looks up stays what it is; of a table with such a row a recipe says what it is.
// DEFINE: %{recipe} =
// DEFINE: %{run} = dist-opt %s --train-apply-recipe="loss=output optimizer=sgd %{recipe}"

// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: recipe: row 1 of the table 'emb.weight' is zero, as PyTorch begins that of a padding_idx, which the file does not say; padding=emb.weight keeps it, trainable=default,emb.weight trains it as all others (docs/from-pytorch.md)

// REDEFINE: %{recipe} = padding=emb*
// RUN: %{run} | FileCheck %s --check-prefix=PADDING
// PADDING-NOT: train.zero_rows
// PADDING-LABEL: func.func @step
// PADDING: %[[Y:.+]] = onnx.Gather %{{.+}}, %[[I:[a-z0-9]+]]
// PADDING: %[[ROW:.+]] = onnx.Constant dense<1> : tensor<i64>
// PADDING: %[[IS:.+]] = onnx.Equal %[[I]], %[[ROW]] : (tensor<?x2xi64>, tensor<i64>) -> tensor<?x2xi1>
// PADDING: %[[OF:.+]] = onnx.Unsqueeze %[[IS]] {axes = array<i64: 2>}
// PADDING: %[[ZERO:.+]] = onnx.Constant dense<0.000000e+00> : tensor<f32>
// PADDING: onnx.Where %[[OF]], %[[ZERO]], %[[Y]] : (tensor<?x2x1xi1>, tensor<f32>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
// PADDING-LABEL: func.func @evaluate
// PADDING: onnx.Where

// REDEFINE: %{recipe} = trainable=default,emb.weight
// RUN: %{run} | FileCheck %s --check-prefix=TRAINED
// REDEFINE: %{recipe} = freeze=emb.weight
// RUN: %{run} | FileCheck %s --check-prefix=TRAINED
// TRAINED-NOT: onnx.Where

// REDEFINE: %{recipe} = padding=w
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: recipe: padding: there is no table with a row of zeros 'w'; did you mean emb.weight?

module attributes {train.program, train.zero_rows = {emb.weight = 1 : i64}} {
  train.dataset @data
  func.func @initialize() -> (tensor<3x4xf32> {train.variable = #train.variable<"emb.weight", trainable>},
                              tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<[[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<3x4xf32>
    %1 = onnx.Constant dense<1.0> : tensor<4xf32>
    return %0, %1 : tensor<3x4xf32>, tensor<4xf32>
  }
  func.func @forward(%t: tensor<3x4xf32> {train.variable = #train.variable<"emb.weight", trainable>},
                     %w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x2xi64> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    %0 = onnx.Gather %t, %x : (tensor<3x4xf32>, tensor<?x2xi64>) -> tensor<?x2x4xf32>
    %1 = onnx.Mul %0, %w : (tensor<?x2x4xf32>, tensor<4xf32>) -> tensor<?x2x4xf32>
    %2 = onnx.ReduceMean %1 {keepdims = 0 : i64} : (tensor<?x2x4xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}
