// Ops that earlier stages must have rewritten.
// RUN: dist-opt %s --lower-train --split-input-file --verify-diagnostics

func.func @gradient(%l: tensor<f32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'train.gradient' op cannot be compiled: it must have been rewritten before lowering}}
  %0 = train.gradient %l wrt %w : tensor<f32> wrt tensor<4xf32>
  return
}

// -----

train.dataset @data {global_batch = 64 : i64}
func.func @batch_weight() {
  // expected-error @+1 {{'train.batch_weight' op cannot be compiled: it must have been rewritten before lowering}}
  %0 = train.batch_weight @data : tensor<f32>
  return
}
