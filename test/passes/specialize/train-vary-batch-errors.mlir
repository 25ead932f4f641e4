// A batch that cannot vary stays, and the operation that keeps it is named.
// RUN: dist-opt %s --train-vary-batch --split-input-file --verify-diagnostics | FileCheck %s
// RUN: dist-opt %s --train-vary-batch=quiet=true --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning:

// CHECK-LABEL: module @other_numbers_for_each_sample
module @other_numbers_for_each_sample attributes {train.program} {
  train.dataset @data
  // CHECK: func.func @forward(%{{.*}}: tensor<2x3xf32>
  func.func @forward(%x: tensor<2x3xf32> {train.input = #train.input<"x", @data>}) -> (tensor<2x3xf32> {train.output = "y"}) {
    %c = onnx.Constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]]> : tensor<2x3xf32>
    // expected-warning @below {{the batch of 2 cannot vary: 'onnx.Add' cannot take [?, 3] and [2, 3], where ? is the batch}}
    %y = onnx.Add %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}

// -----

module @cut_in_two attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x3xf32> {train.input = #train.input<"x", @data>}) -> (tensor<2x6xf32> {train.output = "y"}) {
    // expected-warning @below {{the batch of 4 cannot vary: 'onnx.Reshape' makes [2, 6] of [?, 3]: no dimension of the result takes in the whole batch}}
    %y = onnx.Reshape %x {shape = array<i64: 2, 6>} : (tensor<4x3xf32>) -> tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }
}

// -----

module @each_with_each attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x3xf32> {train.input = #train.input<"x", @data>}) -> (tensor<16xf32> {train.output = "y"}) {
    %t = onnx.Transpose %x {perm = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %m = onnx.MatMul %x, %t : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    // expected-warning @below {{'onnx.Reshape' makes [16] of [?, ?], which holds the batch twice}}
    %y = onnx.Reshape %m {shape = array<i64: 16>} : (tensor<4x4xf32>) -> tensor<16xf32>
    return %y : tensor<16xf32>
  }
}

// -----

module @unknown_operator attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x3xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4x3xf32> {train.output = "y"}) {
    // expected-warning @below {{the batch of 4 cannot vary: 'onnx.custom' cannot take [?, 3], where ? is the batch}}
    %y = onnx.custom "com.acme" "Swirl"(%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    return %y : tensor<4x3xf32>
  }
}

// -----

// expected-warning @below {{the batch cannot vary: inputs have 4 and 8 samples}}
module @two_batches attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x3xf32> {train.input = #train.input<"x", @data>}, %y: tensor<8xi64> {train.input = #train.input<"y", @data>}) {
    return
  }
}

// -----

module @variable_of_a_batch attributes {train.program} {
  train.dataset @data
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %y = onnx.Neg %x : (tensor<4xf32>) -> tensor<4xf32>
    // expected-warning @below {{the batch of 4 cannot vary: 'func.return' gives a variable the shape [?]}}
    return %y : tensor<4xf32>
  }
}

// -----

// What torch.onnx.export makes of `losses.sum() / x.size(0)`. Scores that are divided sample by sample may be.
module @divided_by_the_batch attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x3xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    %four = onnx.Constant dense<4.0> : tensor<f32>
    %scaled = onnx.Div %x, %four : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    %sum = onnx.ReduceSum %scaled {keepdims = 0 : i64} : (tensor<4x3xf32>) -> tensor<f32>
    // expected-warning @below {{the batch of 4 cannot vary: 'onnx.Div' divides by 4 what was computed over the samples, and that may be their number; take their mean instead}}
    %loss = onnx.Div %sum, %four : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
