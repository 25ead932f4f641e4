// A variable without a gradient is neither moved nor does it decay; one of which nobody knows what it is waits for a key.
// DEFINE: %{recipe} =
// DEFINE: %{run} = dist-opt %s --train-apply-recipe="loss=output optimizer=adamw %{recipe}" --remarks=text --remarks-filter=train-apply-recipe

// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: recipe: 2 variables look like buffers, which are not trained, and nothing says so: 'pe' (sines and cosines), 'scale' (4 in all its elements); freeze=pe,scale keeps, trainable=default,pe,scale trains them; a model that says tutti.buffers needs neither (docs/from-pytorch.md)

// REDEFINE: %{recipe} = freeze=pe
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: recipe: 1 variable looks like a buffer, which is not trained, and nothing says so: 'scale' (4 in all its elements); freeze=scale keeps, trainable=default,scale trains them;

// What has no gradient need not be named.
// REDEFINE: %{recipe} = freeze=pe,scale
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=FROZEN
// FROZEN: remark{{.*}}1 variable trained; names: w
// FROZEN: remark{{.*}}2 variables frozen; names: pe, scale
// FROZEN: remark{{.*}}1 variable without a gradient: the loss depends on it only by way of integers and truths, so it is not trained; names: mask
// FROZEN-NOT: train.doubtful
// FROZEN-LABEL: func.func @step
// FROZEN-SAME: "mask", other>
// FROZEN-COUNT-1: train.adamw
// FROZEN-NOT: train.adamw

// REDEFINE: %{recipe} = trainable=default,pe,scale
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=TRAINED
// TRAINED: remark{{.*}}3 variables trained; names: w, pe, scale

module attributes {train.program, train.doubtful = {pe = "sines and cosines", scale = "4 in all its elements", mask = "2 values in 4 elements"}} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                              tensor<4xf32> {train.variable = #train.variable<"pe", trainable>},
                              tensor<4xf32> {train.variable = #train.variable<"scale", trainable>},
                              tensor<4xf32> {train.variable = #train.variable<"mask", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4xf32>
    return %0, %0, %0, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @forward(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                     %p: tensor<4xf32> {train.variable = #train.variable<"pe", trainable>},
                     %s: tensor<4xf32> {train.variable = #train.variable<"scale", trainable>},
                     %m: tensor<4xf32> {train.variable = #train.variable<"mask", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    %zero = onnx.Constant dense<0.0> : tensor<f32>
    %0 = onnx.Mul %x, %w : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %1 = onnx.Add %0, %p : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %2 = onnx.Mul %1, %s : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %3 = onnx.Equal %m, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
    %4 = onnx.Where %3, %zero, %2 : (tensor<4xi1>, tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %5 = onnx.ReduceMean %4 {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
}
