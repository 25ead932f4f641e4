// Layers that are alike share the code of their loops, which is never inlined; a key of --compile turns that off.
// RUN: dist-opt %s --compile | FileCheck %s
// RUN: dist-opt %s --compile="outline-loops=false" | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: llvm.func internal @step
// CHECK: llvm.call @[[RELU:loops[_0-9]*]](
// CHECK: llvm.call @tutti_matmul
// CHECK: llvm.call @[[RELU]](
// CHECK: llvm.call @tutti_matmul
// CHECK: llvm.call @[[RELU]](
// CHECK: llvm.func internal @[[RELU]](%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-SAME: passthrough = ["noinline"]

// OFF-NOT: @loops
module attributes {train.program} {
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() { return }
  func.func @step(%x: tensor<8x8xf32> {train.input = #train.input<"x", @data>}, %w: tensor<8x8xf32> {train.input = #train.input<"w", @data>})
      -> (tensor<8x8xf32> {train.output = "y"}) {
    %0 = onnx.Relu %x : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = onnx.MatMul %0, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = onnx.Relu %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = onnx.MatMul %2, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = onnx.Relu %3 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}
