// What cannot be written as loops over flat arrays.
// RUN: dist-opt %s --lower-loops --split-input-file --verify-diagnostics

func.func @dynamic(%x: memref<?xf32>) {
  // expected-error @+1 {{cannot become loops: 'memref<?xf32>' is not a buffer of static shape and layout}}
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// -----

func.func @on_tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot become loops: 'tensor<4xf32>' is not a buffer of static shape and layout}}
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @every_other_pair(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{cannot become loops: its access affine_map<(d0) -> (d0 floordiv 2)> is not a sum of indices}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  }
  return
}
