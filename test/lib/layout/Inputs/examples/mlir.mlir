// Operations of MLIR: elementwise ones, what cuts and reshapes tensors, and loop nests.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!m = tensor<6x12xf32>
!c = tensor<6x12x18xf32>
!n = tensor<6x12xi64>
!b = tensor<6x12xi1>

func.func @arith_addf(%0: !m, %1: !m) -> !m {
  %r = arith.addf %0, %1 : !m
  return %r : !m
}

func.func @arith_subf(%0: !m, %1: !m) -> !m {
  %r = arith.subf %0, %1 : !m
  return %r : !m
}

func.func @arith_mulf(%0: !m, %1: !m) -> !m {
  %r = arith.mulf %0, %1 : !m
  return %r : !m
}

func.func @arith_maximumf(%0: !m, %1: !m) -> !m {
  %r = arith.maximumf %0, %1 : !m
  return %r : !m
}

func.func @arith_divf(%0: !m, %1: !m {test.low = 1.0, test.high = 2.0}) -> !m {
  %r = arith.divf %0, %1 : !m
  return %r : !m
}

func.func @arith_negf(%0: !m) -> !m {
  %r = arith.negf %0 : !m
  return %r : !m
}

func.func @arith_select(%0: !b, %1: !m, %2: !m) -> !m {
  %r = arith.select %0, %1, %2 : !b, !m
  return %r : !m
}

func.func @arith_extf(%0: !m) -> tensor<6x12xf64> {
  %r = arith.extf %0 : !m to tensor<6x12xf64>
  return %r : tensor<6x12xf64>
}

func.func @arith_sitofp(%0: !n) -> !m {
  %r = arith.sitofp %0 : !n to !m
  return %r : !m
}

func.func @arith_muli(%0: !n, %1: !n) -> !n {
  %r = arith.muli %0, %1 : !n
  return %r : !n
}

func.func @math_exp(%0: !m) -> !m {
  %r = math.exp %0 : !m
  return %r : !m
}

func.func @tensor_dim(%0: !m) -> index {
  %c = arith.constant 0 : index
  %r = tensor.dim %0, %c : !m
  return %r : index
}

func.func @tensor_from_elements(%0: f32, %1: f32) -> tensor<2xf32> {
  %r = tensor.from_elements %0, %1 : tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @tensor_extract(%0: !m, %1: index, %2: index) -> f32 {
  %r = tensor.extract %0[%1, %2] : !m
  return %r : f32
}

func.func @tensor_insert(%0: f32, %1: !m, %2: index, %3: index) -> !m {
  %r = tensor.insert %0 into %1[%2, %3] : !m
  return %r : !m
}

func.func @tensor_splat(%0: f32) -> !m {
  %r = tensor.splat %0 : !m
  return %r : !m
}

func.func @tensor_cast(%0: !m) -> !m {
  %r = tensor.cast %0 : !m to !m
  return %r : !m
}

func.func @tensor_collapse_shape(%0: !c) -> tensor<72x18xf32> {
  %r = tensor.collapse_shape %0 [[0, 1], [2]] : !c into tensor<72x18xf32>
  return %r : tensor<72x18xf32>
}

func.func @tensor_expand_shape(%0: tensor<72x18xf32>) -> !c {
  %r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [6, 12, 18] : tensor<72x18xf32> into !c
  return %r : !c
}

func.func @tensor_extract_slice(%0: !m) -> tensor<2x12xf32> {
  %r = tensor.extract_slice %0[2, 0] [2, 12] [1, 1] : !m to tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

func.func @linalg_matmul(%0: !m, %1: tensor<12x18xf32>, %2: tensor<6x18xf32>) -> tensor<6x18xf32> {
  %r = linalg.matmul ins(%0, %1 : !m, tensor<12x18xf32>) outs(%2 : tensor<6x18xf32>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @linalg_transpose(%0: !m, %1: tensor<12x6xf32>) -> tensor<12x6xf32> {
  %r = linalg.transpose ins(%0 : !m) outs(%1 : tensor<12x6xf32>) permutation = [1, 0]
  return %r : tensor<12x6xf32>
}

func.func @linalg_reduce_sum(%0: !m, %1: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.reduce { arith.addf } ins(%0 : !m) outs(%1 : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

func.func @linalg_reduce_most(%0: !m, %1: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.reduce { arith.maximumf } ins(%0 : !m) outs(%1 : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

func.func @linalg_reduce_product(%0: !m, %1: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.reduce { arith.mulf } ins(%0 : !m) outs(%1 : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

func.func @collective_flatten(%0: !m) -> tensor<80xf32> {
  %r = collective.flatten %0 : !m -> tensor<80xf32>
  return %r : tensor<80xf32>
}

func.func @collective_unflatten(%0: tensor<80xf32>) -> !m {
  %r = collective.unflatten %0 : tensor<80xf32> -> !m
  return %r : !m
}
