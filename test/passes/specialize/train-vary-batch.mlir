// What follows from a batch that the file fixes: by inference, by the sizes of a Reshape wherever the batch lies in a
// dimension, by constants that are equal for each sample.
// RUN: dist-opt %s --train-vary-batch --split-input-file | FileCheck %s

// CHECK-LABEL: module @sequence_first
module @sequence_first attributes {train.program} {
  // CHECK: train.dataset @data {global_batch = 4 : i64}
  train.dataset @data
  // CHECK: func.func @forward(%[[X:.*]]: tensor<?x3x8xf32> {{.*}}, %[[W:.*]]: tensor<8x8xf32> {{.*}}) -> (tensor<?x24xf32> {{.*}}, tensor<?x2x12xf32>
  func.func @forward(%x: tensor<4x3x8xf32> {train.input = #train.input<"x", @data>},
                     %w: tensor<8x8xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4x24xf32> {train.output = "y"}, tensor<4x2x12xf32> {train.output = "z"}) {
    // CHECK: onnx.Transpose {{.*}} -> tensor<3x?x8xf32>
    %t = onnx.Transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<4x3x8xf32>) -> tensor<3x4x8xf32>
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: -1, 8>} : (tensor<3x?x8xf32>) -> tensor<?x8xf32>
    %m = onnx.Reshape %t {shape = array<i64: 12, 8>} : (tensor<3x4x8xf32>) -> tensor<12x8xf32>
    %p = onnx.MatMul %m, %w : (tensor<12x8xf32>, tensor<8x8xf32>) -> tensor<12x8xf32>
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: 3, -1, 8>} : (tensor<?x8xf32>) -> tensor<3x?x8xf32>
    %u = onnx.Reshape %p {shape = array<i64: 3, 4, 8>} : (tensor<12x8xf32>) -> tensor<3x4x8xf32>
    %v = onnx.Transpose %u {perm = array<i64: 1, 0, 2>} : (tensor<3x4x8xf32>) -> tensor<4x3x8xf32>
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: -1, 24>}
    %y = onnx.Reshape %v {shape = array<i64: 4, -1>} : (tensor<4x3x8xf32>) -> tensor<4x24xf32>
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: -1, 2, 12>}
    %z = onnx.Reshape %y {shape = array<i64: 4, 2, 12>} : (tensor<4x24xf32>) -> tensor<4x2x12xf32>
    return %y, %z : tensor<4x24xf32>, tensor<4x2x12xf32>
  }
}

// -----

// What is right for every batch stays as it was written.
// CHECK-LABEL: module @already_right
module @already_right attributes {train.program} {
  // CHECK: train.dataset @data {global_batch = 64 : i64}
  train.dataset @data {global_batch = 64 : i64}
  func.func @forward(%x: tensor<4x3x8xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4x24xf32> {train.output = "y"}) {
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: 0, -1>} : (tensor<?x3x8xf32>) -> tensor<?x24xf32>
    %y = onnx.Reshape %x {shape = array<i64: 0, -1>} : (tensor<4x3x8xf32>) -> tensor<4x24xf32>
    return %y : tensor<4x24xf32>
  }
}

// -----

// A class token before each sequence: a parameter that is repeated for the batch of the file.
// CHECK-LABEL: module @token
module @token attributes {train.program} {
  train.dataset @data
  // CHECK: func.func @forward(%[[X:.*]]: tensor<?x6x16xf32> {{.*}}, %[[T:.*]]: tensor<1x1x16xf32> {{.*}}) -> (tensor<?x7x16xf32>
  func.func @forward(%x: tensor<4x6x16xf32> {train.input = #train.input<"x", @data>},
                     %token: tensor<1x1x16xf32> {train.variable = #train.variable<"token", trainable>})
      -> (tensor<4x7x16xf32> {train.output = "y"}) {
    // CHECK: %[[ONE:.*]] = onnx.Expand %[[T]] {shape = array<i64: 1, 1, 1>} : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    // CHECK: %[[TOKENS:.*]] = onnx.Expand %[[ONE]] like %[[X]] {shape = array<i64: -1, 1, 1>} : (tensor<1x1x16xf32>, tensor<?x6x16xf32>) -> tensor<?x1x16xf32>
    // CHECK: onnx.Concat %[[TOKENS]], %[[X]] {axis = 1 : i64} : (tensor<?x1x16xf32>, tensor<?x6x16xf32>) -> tensor<?x7x16xf32>
    %tokens = onnx.Expand %token {shape = array<i64: 4, 1, 1>} : (tensor<1x1x16xf32>) -> tensor<4x1x16xf32>
    %y = onnx.Concat %tokens, %x {axis = 1 : i64} : (tensor<4x1x16xf32>, tensor<4x6x16xf32>) -> tensor<4x7x16xf32>
    return %y : tensor<4x7x16xf32>
  }
}

// -----

// CHECK-LABEL: module @equal_for_each_sample
module @equal_for_each_sample attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<2x3xf32> {train.input = #train.input<"x", @data>},
                     %table: tensor<5x3xf32> {train.variable = #train.variable<"positions", trainable>})
      -> (tensor<2x3xf32> {train.output = "y"}) {
    %splat = onnx.Constant dense<1.0> : tensor<2x3xf32>
    // CHECK: onnx.Add %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
    %a = onnx.Add %x, %splat : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %rows = onnx.Constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
    // CHECK: %[[ROW:.*]] = onnx.Constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32>
    // CHECK: onnx.Mul %{{.*}}, %[[ROW]]
    %b = onnx.Mul %a, %rows : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %ids = onnx.Constant dense<3> : tensor<2xi64>
    // CHECK: %[[ID:.*]] = onnx.Constant dense<3> : tensor<1xi64>
    // CHECK: %[[POSITION:.*]] = onnx.Gather %{{.*}}, %[[ID]] {{.*}} -> tensor<1x3xf32>
    %p = onnx.Gather %table, %ids : (tensor<5x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    // CHECK: onnx.Add %{{.*}}, %[[POSITION]] : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
    %y = onnx.Add %b, %p : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}

// -----

// An example of one sample.
// CHECK-LABEL: module @one
module @one attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<1x3x8xf32> {train.input = #train.input<"x", @data>}) -> (tensor<3x1x8xf32> {train.output = "y"}) {
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: -1, 8>} : (tensor<?x3x8xf32>) -> tensor<?x8xf32>
    %a = onnx.Reshape %x {shape = array<i64: 3, 8>} : (tensor<1x3x8xf32>) -> tensor<3x8xf32>
    // CHECK: onnx.Reshape {{.*}} {shape = array<i64: -1, 3, 8>} : (tensor<?x8xf32>) -> tensor<?x3x8xf32>
    %b = onnx.Reshape %a {shape = array<i64: 1, 3, 8>} : (tensor<3x8xf32>) -> tensor<1x3x8xf32>
    // CHECK: return {{.*}} : tensor<3x?x8xf32>
    %y = onnx.Transpose %b {perm = array<i64: 1, 0, 2>} : (tensor<1x3x8xf32>) -> tensor<3x1x8xf32>
    return %y : tensor<3x1x8xf32>
  }
}

// -----

// Sizes that Expand and Slice state, and what is repeated for each sample.
// CHECK-LABEL: module @stated
module @stated attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x1x8xf32> {train.input = #train.input<"x", @data>},
                     %table: tensor<5x8xf32> {train.variable = #train.variable<"positions", trainable>})
      -> (tensor<4x3x8xf32> {train.output = "y"}) {
    // CHECK: onnx.Expand %{{.*}} {shape = array<i64: 1, 3, 8>} : (tensor<?x1x8xf32>) -> tensor<?x3x8xf32>
    %e = onnx.Expand %x {shape = array<i64: 4, 3, 8>} : (tensor<4x1x8xf32>) -> tensor<4x3x8xf32>
    // CHECK: onnx.Slice %{{.*}} {ends = array<i64: 9223372036854775807, 3>, starts = array<i64: 0, 0>}
    %s = onnx.Slice %e {ends = array<i64: 4, 3>, starts = array<i64: 0, 0>} : (tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
    %id = onnx.Constant dense<[[0, 1, 2]]> : tensor<1x3xi64>
    // CHECK: %[[IDS:.*]] = onnx.Expand %{{.*}} {shape = array<i64: 1, 3>} : (tensor<1x3xi64>) -> tensor<1x3xi64>
    %ids = onnx.Expand %id {shape = array<i64: 4, 3>} : (tensor<1x3xi64>) -> tensor<4x3xi64>
    // CHECK: %[[ROWS:.*]] = onnx.Gather %{{.*}}, %[[IDS]] {{.*}} -> tensor<1x3x8xf32>
    %rows = onnx.Gather %table, %ids : (tensor<5x8xf32>, tensor<4x3xi64>) -> tensor<4x3x8xf32>
    // CHECK: onnx.Add %{{.*}}, %[[ROWS]] : (tensor<?x3x8xf32>, tensor<1x3x8xf32>) -> tensor<?x3x8xf32>
    %y = onnx.Add %s, %rows : (tensor<4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
    return %y : tensor<4x3x8xf32>
  }
}

// -----

// What a recurrent layer begins with is as often there as samples are, though an exporter has folded its size, and its expansion kept it.
// CHECK-LABEL: module @first_state
module @first_state attributes {train.program} {
  train.dataset @data
  func.func @forward(%x: tensor<4x5x3xf32> {train.input = #train.input<"x", @data>},
                     %w: tensor<1x6x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %r: tensor<1x6x2xf32> {train.variable = #train.variable<"r", trainable>})
      -> (tensor<5x1x4x2xf32> {train.output = "y"}) {
    // CHECK: %[[ZERO:.*]] = onnx.Constant dense<0.000000e+00> : tensor<1x1x2xf32>
    // CHECK: %[[ONE:.*]] = onnx.Expand %[[ZERO]] {shape = array<i64: 1, 1, 2>} : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
    // CHECK: %[[ALL:.*]] = onnx.Expand %[[ONE]] like %{{.*}} -> tensor<1x?x2xf32>
    // CHECK: onnx.GRU {{.*}} from %[[ALL]] {{.*}} -> (tensor<5x1x?x2xf32>
    %zero = onnx.Constant dense<0.0> : tensor<1x4x2xf32>
    %h = onnx.Expand %zero {shape = array<i64: 1, 4, 2>} : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
    %t = onnx.Transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<4x5x3xf32>) -> tensor<5x4x3xf32>
    %y, %last = onnx.GRU %t, %w, %r from %h {hidden_size = 2 : i64}
       : (tensor<5x4x3xf32>, tensor<1x6x3xf32>, tensor<1x6x2xf32>, tensor<1x4x2xf32>) -> (tensor<5x1x4x2xf32>, tensor<1x4x2xf32>)
    return %y : tensor<5x1x4x2xf32>
  }
}
