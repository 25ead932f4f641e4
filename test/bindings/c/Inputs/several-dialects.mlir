// Traits and interfaces of func, arith, linalg, scf and tensor: terminators, isolation, symbols, loops, structured ops.
#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func private @outside(tensor<4xf32>) -> tensor<4xf32>

func.func @several(%matrix: tensor<3x4xf32>, %flag: i1, %count: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant dense<0.0> : tensor<4xf32>
  %sums = linalg.generic {indexing_maps = [#row, #column], iterator_types = ["reduction", "parallel"]}
      ins(%matrix : tensor<3x4xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%value: f32, %sum: f32):
    %next = arith.addf %value, %sum : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %looped = scf.for %i = %zero to %count step %one iter_args(%carried = %sums) -> (tensor<4xf32>) {
    %called = func.call @outside(%carried) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %called : tensor<4xf32>
  }
  %chosen = scf.if %flag -> (tensor<4xf32>) {
    scf.yield %looped : tensor<4xf32>
  } else {
    scf.yield %sums : tensor<4xf32>
  }
  return %chosen : tensor<4xf32>
}
