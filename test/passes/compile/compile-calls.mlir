// Functions that others call become part of them, whatever they take and give; on numbers, too.
// RUN: dist-opt %s --compile | FileCheck %s

// CHECK-NOT: @next
// CHECK-NOT: @row_of
// CHECK: llvm.func {{.*}}@step(
// CHECK-NOT: @next
// CHECK-NOT: @row_of
module attributes {train.program} {
  func.func private @next(%i: index) -> index {
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    return %next : index
  }
  func.func private @row_of(%w: tensor<4x2xf32>, %i: index) -> tensor<1x2xf32> {
    %next = func.call @next(%i) : (index) -> index
    %row = tensor.extract_slice %w[%next, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<1x2xf32>
    return %row : tensor<1x2xf32>
  }
  func.func @initialize() -> (tensor<4x2xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
    return %w : tensor<4x2xf32>
  }
  func.func @step(%w: tensor<4x2xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4x2xf32> {train.variable = #train.variable<"w", trainable>}) {
    %two = arith.constant 2 : index
    %row = func.call @row_of(%w, %two) : (tensor<4x2xf32>, index) -> tensor<1x2xf32>
    %new = tensor.insert_slice %row into %w[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<4x2xf32>
    return %new : tensor<4x2xf32>
  }
}
