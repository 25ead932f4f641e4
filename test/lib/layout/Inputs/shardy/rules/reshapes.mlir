// Restated tests of Shardy: rules of sharding (README.md).

func.func @reshape_scalar(%arg0: tensor<1x1xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, j])->([]) {i=1, j=1}"} : (tensor<1x1xf32>) -> tensor<f32>
  return
}

func.func @reshape_size_zero_dim(%arg0: tensor<4x0xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "none"} : (tensor<4x0xf32>) -> tensor<0x8xf32>
  return
}

func.func @reshape_merge_dim(%arg0: tensor<2x4xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, j])->([ij]) {i=2, j=4}"} : (tensor<2x4xf32>) -> tensor<8xf32>
  return
}

func.func @reshape_split_dim(%arg0: tensor<8xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([ij])->([i, j]) {i=2, j=4}"} : (tensor<8xf32>) -> tensor<2x4xf32>
  return
}

func.func @reshape_split_dim_three_way(%arg0: tensor<4x12xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, jkl])->([i, j, k, l]) {i=4, j=2, k=3, l=2}"} : (tensor<4x12xf32>) -> tensor<4x2x3x2xf32>
  return
}

func.func @reshape_split_and_merge_dims(%arg0: tensor<8x4x5xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([ij, k, l])->([i, jk, l]) {i=2, j=4, k=4, l=5}"} : (tensor<8x4x5xf32>) -> tensor<2x16x5xf32>
  return
}

func.func @reshape_swap_dims_no_common_divisor(%arg0: tensor<3x2xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, l])->([j, k]) {i=3, j=2, k=3, l=2}"} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

func.func @reshape_swap_dims_with_common_divisor(%arg0: tensor<6x4xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=2}", tutti.rule = "(f0 f1^) f2^ -> (f0 f3^) f4^", tutti.because = "an innermost factor in common, of which each part would be a piece of every row; here it is gathered"} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return
}

func.func @reshape_swap_with_dim_before_and_in_between(%arg0: tensor<5x2x5x3xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, j, l, n])->([i, k, m, o]) {i=5, j=2, k=3, l=5, m=5, n=3, o=2}"} : (tensor<5x2x5x3xf32>) -> tensor<5x3x5x2xf32>
  return
}

func.func @reshape_swap_and_merge(%arg0: tensor<2x3x8xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, k, mn])->([j, lm, n]) {i=2, j=3, k=3, l=2, m=2, n=4}", tutti.rule = "f0^ f1^ f2^ -> f3^ f4^ f5^", tutti.because = "an innermost factor in common, of which each part would be a piece of every row; here it is gathered"} : (tensor<2x3x8xf32>) -> tensor<3x4x4xf32>
  return
}

func.func @reshape_split_and_swap(%arg0: tensor<3x4x4xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, lm, n])->([j, k, mn]) {i=3, j=2, k=3, l=2, m=2, n=4}", tutti.rule = "f0^ f1^ f2^ -> f3^ f4^ f5^", tutti.because = "an innermost factor in common, of which each part would be a piece of every row; here it is gathered"} : (tensor<3x4x4xf32>) -> tensor<2x3x8xf32>
  return
}

func.func @reshape_split_swap_and_merge(%arg0: tensor<4x7x5x8xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([ij, l, n, o])->([ik, mn, o]) {i=2, j=2, k=7, l=7, m=2, n=5, o=8}", tutti.rule = "(f0 f1^) f2^ f3^ f6 -> (f0 f4^) f5^ f6", tutti.because = "an innermost factor in common, of which each part would be a piece of every row; here it is gathered"} : (tensor<4x7x5x8xf32>) -> tensor<14x10x8xf32>
  return
}

func.func @reshape_size_one_dims(%arg0: tensor<1x8x4xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, j, l])->([j, k, l, m]) {i=1, j=8, k=1, l=4, m=1}"} : (tensor<1x8x4xf32>) -> tensor<8x1x4x1xf32>
  return
}

func.func @reshape_merge_dim_then_size_one(%arg0: tensor<8x4xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([i, j])->([ij, k]) {i=8, j=4, k=1}"} : (tensor<8x4xf32>) -> tensor<32x1xf32>
  return
}

func.func @reshape_split_dim_then_size_one(%arg0: tensor<32x1xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([ij, k])->([i, j]) {i=8, j=4, k=1}"} : (tensor<32x1xf32>) -> tensor<8x4xf32>
  return
}

func.func @reshape_split_dim_with_intermediate_one(%arg0: tensor<32xf32>) {
  %0 = "stablehlo.reshape"(%arg0) {shardy.rule = "([ik])->([i, j, k]) {i=8, j=1, k=4}"} : (tensor<32xf32>) -> tensor<8x1x4xf32>
  return
}
