#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = scf.for %i = %zero to %four step %one iter_args(%a = %x) -> (tensor<4x3xf32>) {
    %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x3xf32>) outs(%a : tensor<4x3xf32>) {
      ^bb0(%in: f32, %out: f32):
        %e = math.exp %in : f32
        linalg.yield %e : f32
    } -> tensor<4x3xf32>
    scf.yield %b : tensor<4x3xf32>
  }
  return %r : tensor<4x3xf32>
}
