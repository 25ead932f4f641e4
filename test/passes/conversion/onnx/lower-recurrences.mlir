// Which loops recurrent layers become, and what these keep; what they compute is tested by running them (test/lib/execution,
// test/equivalence/gradients).
// RUN: dist-opt %s --lower-recurrences --split-input-file --verify-diagnostics | FileCheck %s

// A layer without a gradient carries its state, and the states of all steps. Products with W stand before the loop.
// CHECK-LABEL: @alone
func.func @alone(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32> {
  // CHECK: onnx.Gemm {{.*}} : (tensor<10x3xf32>, tensor<4x3xf32>) -> tensor<10x4xf32>
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  // CHECK: onnx.Gemm {{.*}} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK: onnx.Tanh
  // CHECK-NOT: onnx.Gemm
  // CHECK: return
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %0#0 : tensor<5x1x2x4xf32>
}

// -----

// With its gradient it keeps both states before each step, too, and the loop back begins where it ends. No step of that multiplies
// for a gradient of weights.
// CHECK-LABEL: @with_gradient
func.func @with_gradient(%dy: tensor<5x1x2x4xf32>, %x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) {
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) {
  // CHECK: onnx.Gemm {{.*}} : (tensor<10x4xf32>, tensor<16x4xf32>) -> tensor<10x16xf32>
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x16xf32>) {
  // CHECK: arith.subi
  // CHECK: onnx.SigmoidGrad
  // CHECK: onnx.Gemm {{.*}} : (tensor<2x16xf32>, tensor<16x4xf32>) -> tensor<2x4xf32>
  // CHECK-NOT: onnx.Gemm
  // CHECK: scf.yield
  // CHECK: onnx.Gemm {{.*}} : (tensor<10x16xf32>, tensor<10x3xf32>) -> tensor<16x3xf32>
  // CHECK: onnx.Gemm {{.*}} : (tensor<10x16xf32>, tensor<10x4xf32>) -> tensor<16x4xf32>
  // CHECK-NOT: scf.for
  // CHECK: return
  %0:3 = onnx.LSTM %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  %1:7 = onnx.LSTMGrad dY %dy of %x, %w, %r : (tensor<5x1x2x4xf32>, tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x12xf32>)
  return %0#0, %1#1, %1#2 : tensor<5x1x2x4xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>
}

// -----

// A gradient of another layer does not make this one keep anything: the gradient has a loop forward of its own.
// CHECK-LABEL: @gradient_of_another
func.func @gradient_of_another(%dy: tensor<5x1x2x4xf32>, %x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x4x4xf32>) {
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) {
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  // CHECK-NOT: scf.for
  // CHECK: return
  %0:2 = onnx.RNN %x, %w, %r {direction = "reverse"} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  %1:5 = onnx.RNNGrad dY %dy of %x, %w, %r : (tensor<5x1x2x4xf32>, tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x2x4xf32>)
  return %0#0, %1#2 : tensor<5x1x2x4xf32>, tensor<1x4x4xf32>
}

// -----

// 16 bits are computed in f32.
// CHECK-LABEL: @half
func.func @half(%x: tensor<5x2x3xbf16>, %w: tensor<1x4x3xbf16>, %r: tensor<1x4x4xbf16>) -> tensor<1x2x4xbf16> {
  // CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  // CHECK: onnx.Cast {{.*}} : (tensor<1x2x4xf32>) -> tensor<1x2x4xbf16>
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x2x3xbf16>, tensor<1x4x3xbf16>, tensor<1x4x4xbf16>) -> (tensor<5x1x2x4xbf16>, tensor<1x2x4xbf16>)
  return %0#1 : tensor<1x2x4xbf16>
}

// -----

func.func @sizes_that_vary(%x: tensor<?x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<1x2x4xf32> {
  // expected-error @+1 {{'onnx.RNN' op cannot be compiled: 'tensor<?x2x3xf32>' is not static; run train-specialize-batch first}}
  %0:2 = onnx.RNN %x, %w, %r : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32>, tensor<1x2x4xf32>)
  return %0#1 : tensor<1x2x4xf32>
}
