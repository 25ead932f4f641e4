// RUN: dist-opt %s --lower-train --split-input-file --verify-diagnostics

func.func @half(%i: tensor<4xi64>, %r: tensor<4x2xf16>) -> tensor<9x2xf16> {
  // expected-error @below {{cannot be compiled: rows are added in f32 and f64 only}}
  %0 = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf16> -> tensor<9x2xf16>
  return %0 : tensor<9x2xf16>
}

// -----

func.func @merged_half(%i: tensor<4xi64>, %r: tensor<4x2xbf16>) -> tensor<4x2xbf16> {
  // expected-error @below {{cannot be compiled: rows are added in f32 and f64 only}}
  %0:2 = train.merge_rows %i, %r of 9 : tensor<4xi64>, tensor<4x2xbf16> -> tensor<4xi64>, tensor<4x2xbf16>
  return %0#1 : tensor<4x2xbf16>
}
