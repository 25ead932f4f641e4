// RUN: dist-opt %s --distribute-chunks="chunks=2" --split-input-file --verify-diagnostics
// RUN: not dist-opt %s --distribute-chunks="chunks=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: chunks must be 1 or more, got 0

// No neighbours share this model.
// expected-warning@+1 {{chunks has no effect: no product leads to what neighbours exchange, of a size that 2 chunks divide}}
module {
  collective.group @world {size = 2 : i64}
  func.func @step(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
    %y = onnx.MatMul %x, %x : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %s = collective.all_reduce sum %y on @world : tensor<128x128xf32>
    return %s : tensor<128x128xf32>
  }
}

// -----

// Rows whose number is not known cannot be cut.
// expected-warning@+1 {{chunks has no effect}}
module attributes {train.tensor_parts = 2 : i64} {
  collective.group @tp members(#collective.blocks<2>) {size = 2 : i64}
  func.func @step(%x: tensor<?x128xf32>, %w: tensor<128x128xf32>) -> tensor<?x128xf32> {
    %y = onnx.MatMul %x, %w : (tensor<?x128xf32>, tensor<128x128xf32>) -> tensor<?x128xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<?x128xf32>
    return %s : tensor<?x128xf32>
  }
}
