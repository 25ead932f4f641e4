// The runtime passes metrics before outputs, whatever their order in the program.
// RUN: dist-opt %s --lower-bind-variables | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[X:.*]]: memref<4xf32> {llvm.noalias}, %[[LOSS:.*]]: memref<f32> {llvm.noalias}, %[[LOGITS:.*]]: memref<4xf32>
train.dataset @data
func.func @step(%x: tensor<4xf32> {train.input = #train.input<"x", @data>})
    -> (tensor<4xf32> {train.output = "logits"}, tensor<f32> {train.metric = "loss"}) {
  %loss = arith.constant dense<1.0> : tensor<f32>
  return %x, %loss : tensor<4xf32>, tensor<f32>
}
