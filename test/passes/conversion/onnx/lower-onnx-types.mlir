// Kernels compute f32, f64 and bf16; f16, and sums of 16 bits in loops, are computed in f32 and rounded.
// RUN: dist-opt %s --lower-onnx | FileCheck %s

// CHECK-LABEL: @kernels
func.func @kernels(%h: tensor<4x4xbf16>, %d: tensor<4x4xf64>, %s: tensor<4x4xf16>, %x: tensor<1x1x4xf64>, %w: tensor<1x1x1xf64>)
    -> (tensor<4x4xbf16>, tensor<4x4xf64>, tensor<4x4xf16>, tensor<1x1x4xf64>) {
  // CHECK: kernel.matmul({{.*}} -> tensor<1x4x4xbf16>
  %0 = onnx.MatMul %h, %h : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  // CHECK: kernel.matmul({{.*}} -> tensor<1x4x4xf64>
  %1 = onnx.MatMul %d, %d : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[WIDE:.*]] = kernel.matmul{{.*}} -> tensor<4x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[WIDE]] : tensor<4x4xf32>) outs(%{{.*}} : tensor<4x4xf16>)
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %2 = onnx.Gemm %s, %s : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  // CHECK: kernel.convolution(
  %3 = onnx.Conv %x, %w : (tensor<1x1x4xf64>, tensor<1x1x1xf64>) -> tensor<1x1x4xf64>
  return %0, %1, %2, %3 : tensor<4x4xbf16>, tensor<4x4xf64>, tensor<4x4xf16>, tensor<1x1x4xf64>
}

// CHECK-LABEL: @sum
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @sum(%h: tensor<600xbf16>) -> tensor<bf16> {
  %0 = onnx.ReduceSum %h {keepdims = 0 : i64} : (tensor<600xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// The kernel tells which elements are kept; they are scaled in their own type.
// CHECK-LABEL: @dropout
// CHECK: %[[DRAWN:.*]]:2 = kernel.dropout{{.*}} -> (tensor<4xf32>, tensor<4xi1>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[DRAWN]]#1, %{{.*}} : tensor<4xf64>, tensor<4xi1>, tensor<f64>)
func.func @dropout(%x: tensor<4xf64>) -> tensor<4xf64> {
  %t = onnx.Constant dense<true> : tensor<i1>
  %0:2 = onnx.Dropout %x training %t : (tensor<4xf64>, tensor<i1>) -> (tensor<4xf64>, tensor<4xi1>)
  return %0#0 : tensor<4xf64>
}
