// The whole pipeline on a training step: weights are updated in place, without a copy and without a buffer for a new
// weight; temporary buffers share one arena.
// RUN: dist-opt %s --compile --mlir-print-ir-after=lower-plan-memory -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LLVM < %t.mlir

// CHECK: func.func @step(%[[W:.*]]: memref<64x10xf32> {llvm.noalias}, %[[M:.*]]: memref<64x10xf32> {llvm.noalias}, %[[B:.*]]: memref<10xf32> {llvm.noalias}
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// Logits and their gradient take turns in one place of 16 x 10 floats; the gradient of the weights takes 64 x 10.
// CHECK: kernel.matmul
// CHECK: linalg.generic {{.*}} outs(%[[W]], %[[M]] : memref<64x10xf32>, memref<64x10xf32>)
// CHECK-NOT: memref.copy
// CHECK: return

// LLVM-DAG: llvm.func @tutti_initialize(
// LLVM-DAG: llvm.func @tutti_step(
// LLVM-DAG: llvm.func @tutti_evaluate(
// LLVM-NOT: unrealized_conversion_cast
module attributes {train.program} {
  train.dataset @data {global_batch = 16 : i64}
  func.func @initialize() -> (tensor<64x10xf32> {train.variable = #train.variable<"w", trainable>},
                              tensor<64x10xf32> {train.variable = #train.variable<"w.velocity", state>},
                              tensor<10xf32> {train.variable = #train.variable<"b", trainable>}) {
    %w = onnx.RandomNormal {shape = array<i64: 64, 10>, scale = 5.0e-2 : f32} : tensor<64x10xf32>
    %z = onnx.Constant dense<0.0> : tensor<64x10xf32>
    %b = onnx.Constant dense<0.0> : tensor<10xf32>
    return %w, %z, %b : tensor<64x10xf32>, tensor<64x10xf32>, tensor<10xf32>
  }
  func.func @step(%w: tensor<64x10xf32> {train.variable = #train.variable<"w", trainable>},
                  %m: tensor<64x10xf32> {train.variable = #train.variable<"w.velocity", state>},
                  %b: tensor<10xf32> {train.variable = #train.variable<"b", trainable>},
                  %x: tensor<?x64xf32> {train.input = #train.input<"input", @data>},
                  %y: tensor<?xi64> {train.input = #train.input<"label", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<64x10xf32> {train.variable = #train.variable<"w", trainable>},
          tensor<64x10xf32> {train.variable = #train.variable<"w.velocity", state>},
          tensor<10xf32> {train.variable = #train.variable<"b", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %s = onnx.Gemm %x, %w, %b : (tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %loss, %lp = onnx.SoftmaxCrossEntropyLoss %s, %y : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x10xf32>)
    %one = onnx.Constant dense<1.0> : tensor<f32>
    %ds = onnx.SoftmaxCrossEntropyLossGrad %one, %lp, %y : (tensor<f32>, tensor<?x10xf32>, tensor<?xi64>) -> tensor<?x10xf32>
    %dw = onnx.Gemm %x, %ds {transA = 1 : i64} : (tensor<?x64xf32>, tensor<?x10xf32>) -> tensor<64x10xf32>
    %db = onnx.ReduceSum %ds {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x10xf32>) -> tensor<10xf32>
    %nw, %nm = train.momentum %w gradient %dw velocity %m rate %lr {alpha = 9.0e-1 : f32} : tensor<64x10xf32>, tensor<f32>
    %nb = train.sgd %b gradient %db rate %lr : tensor<10xf32>, tensor<f32>
    return %nw, %nm, %nb, %loss : tensor<64x10xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>
  }
  func.func @evaluate(%w: tensor<64x10xf32> {train.variable = #train.variable<"w", trainable>},
                      %b: tensor<10xf32> {train.variable = #train.variable<"b", trainable>},
                      %x: tensor<?x64xf32> {train.input = #train.input<"input", @data>},
                      %y: tensor<?xi64> {train.input = #train.input<"label", @data>}) -> (tensor<?xf32> {train.metric = "accuracy"}) {
    %s = onnx.Gemm %x, %w, %b : (tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %a = train.accuracy %s, %y : tensor<?x10xf32>, tensor<?xi64> -> tensor<?xf32>
    return %a : tensor<?xf32>
  }
}
