// Samples that lie along another dimension than 0: what holds the batch follows from the attribute.
// RUN: split-file %s %t
// RUN: dist-opt %t/step.mlir --distribute | FileCheck %t/step.mlir --check-prefix=OPEN
// RUN: dist-opt %t/step.mlir --distribute --specialize-world=ranks=4 --train-specialize-batch | FileCheck %t/step.mlir --check-prefix=FOUR
// RUN: dist-opt %t/step.mlir --distribute --specialize-world=ranks=1 -o %t.one.mlir && dist-opt %t/step.mlir --train-expand-gradients=clean --train-vary-batch -o %t.plain.mlir && diff %t.plain.mlir %t.one.mlir
// RUN: not dist-opt %t/disagree.mlir --train-specialize-batch 2>&1 | FileCheck %t/disagree.mlir
// RUN: dist-opt %t/two-batches.mlir --train-vary-batch -o /dev/null 2>&1 | FileCheck %t/two-batches.mlir
// RUN: not dist-opt %t/step.mlir --distribute="accumulate=2" 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not dist-opt %t/dropout.mlir --train-specialize-batch 2>&1 | FileCheck %t/dropout.mlir
// PARTS: error: input 'x' of @step has its samples along dimension 1, and micro-batches are cut along dimension 0: transpose it

//--- step.mlir
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<3x1xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<3x1xf32>
    return %w : tensor<3x1xf32>
  }
  // The file fixes the batch; dimension 0 is not it, although it could be.
  // OPEN: train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world>}
  // OPEN: func.func @step
  // OPEN-SAME: tensor<3x?xf32> {train.input = #train.input<"x", @data, axis = 1>}
  // OPEN: onnx.ReduceSum {{.*}} -> tensor<1x?xf32>
  // OPEN: collective.all_reduce mean
  // FOUR: func.func @step
  // FOUR-SAME: tensor<3x2xf32> {train.input = #train.input<"x", @data, axis = 1>}
  // FOUR: onnx.ReduceSum {{.*}} -> tensor<1x2xf32>
  func.func @step(%w: tensor<3x1xf32> {train.variable = #w}, %x: tensor<3x8xf32> {train.input = #train.input<"x", @data, axis = 1>}) -> (tensor<3x1xf32> {train.variable = #w}) {
    %wx = onnx.Mul %w, %x : (tensor<3x1xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %y = onnx.ReduceSum %wx {axes = array<i64: 0>} : (tensor<3x8xf32>) -> tensor<1x8xf32>
    %yx = onnx.Mul %y, %x : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %g = onnx.ReduceMean %yx {axes = array<i64: 1>, train.gradient = "w"} : (tensor<3x8xf32>) -> tensor<3x1xf32>
    %w1 = arith.subf %w, %g : tensor<3x1xf32>
    return %w1 : tensor<3x1xf32>
  }
}

//--- disagree.mlir
// CHECK: error: input 'x' of @step has a batch dimension of 3, but a rank takes 8 samples of @data; export the model with a symbolic batch
module attributes {train.program} {
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<8x3xf32> {train.input = #train.input<"x", @data, axis = 1>}) {
    return
  }
}

//--- two-batches.mlir
// CHECK: warning: the batch cannot vary: inputs have 3 and 8 samples
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<8x3xf32> {train.input = #train.input<"x", @data, axis = 1>}, %y: tensor<8xf32> {train.input = #train.input<"y", @data>}) {
    return
  }
}

//--- dropout.mlir
// CHECK: error: 'onnx.Dropout' op draws for samples along dimension 0, but input 'x' has them along dimension 1: the numbers would follow from the number of ranks; transpose the input
module attributes {train.program} {
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<3x?xf32> {train.input = #train.input<"x", @data, axis = 1>}) -> (tensor<3x?xf32> {train.output = "y"}) {
    %ratio = onnx.Constant dense<0.5> : tensor<f32>
    %true = onnx.Constant dense<true> : tensor<i1>
    %y, %mask = onnx.Dropout %x ratio %ratio training %true : (tensor<3x?xf32>, tensor<f32>, tensor<i1>) -> (tensor<3x?xf32>, tensor<3x?xi1>)
    return %y : tensor<3x?xf32>
  }
}
