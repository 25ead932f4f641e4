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

// -----

// Some ranks take 17 samples, some 16.
// expected-warning@+1 {{chunks has no effect: ranks take batches of two sizes, which are not cut alike; choose a global batch that the ranks divide}}
module attributes {train.tensor_parts = 2 : i64} {
  collective.group @tp members(#collective.blocks<2>) {size = 2 : i64}
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 33 : i64, shard = #train.shard<contiguous, weighted, @world, ranks = 2>}
  func.func @step(%x: tensor<16x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<16x1024xf32> {
    %y = onnx.MatMul %x, %w : (tensor<16x1024xf32>, tensor<1024x1024xf32>) -> tensor<16x1024xf32>
    %s = collective.all_reduce sum %y on @tp : tensor<16x1024xf32>
    return %s : tensor<16x1024xf32>
  }
}
