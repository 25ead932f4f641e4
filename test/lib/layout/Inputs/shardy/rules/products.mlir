// Restated tests of Shardy: rules of sharding (README.md).

func.func @conv_simple(%arg0: tensor<2x224x224x192xf32>, %arg1: tensor<3x3x192x64xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([i, jk, lm, n], [k, m, n, o])->([i, j, l, o]) {i=2, j=112, k=2, l=112, m=2, n=192, o=64} reduction={k, m, n} permutation={j, l}", tutti.rule = "d0 d3^ d4^ d1+, d5^ d6^ d1 d2 -> d0 d7^ d8^ d2", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<2x224x224x192xf32>, tensor<3x3x192x64xf32>) -> tensor<2x112x112x64xf32>
  return
}

func.func @conv_window_size_greater_than_num_windows(%arg0: tensor<2x224x224x192xf32>, %arg1: tensor<112x112x192x64xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([i, jk, lm, n], [j, l, n, o])->([i, k, m, o]) {i=2, j=112, k=2, l=112, m=2, n=192, o=64} reduction={j, l, n} permutation={k, m}", tutti.rule = "d0 d3^ d4^ d1+, d5^ d6^ d1 d2 -> d0 d7^ d8^ d2", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<2x224x224x192xf32>, tensor<112x112x192x64xf32>) -> tensor<2x57x57x64xf32>
  return
}

func.func @conv_batch_group_count(%arg0: tensor<8x224x224x192xf32>, %arg1: tensor<3x3x192x256xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 4 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([ij, kl, mn, o], [l, n, o, ip])->([j, k, m, ip]) {i=4, j=2, k=112, l=2, m=112, n=2, o=192, p=64} reduction={l, n, o} permutation={k, m}", tutti.rule = "(d0 d1) d4^ d5^ d2+, d6^ d7^ d2 (d0 d3) -> d1 d8^ d9^ (d0 d3)", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<8x224x224x192xf32>, tensor<3x3x192x256xf32>) -> tensor<2x112x112x256xf32>
  return
}

func.func @conv_per_group_batch_size_one(%arg0: tensor<4x224x224x192xf32>, %arg1: tensor<3x3x192x256xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 4 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([i, kl, mn, o], [l, n, o, ip])->([j, k, m, ip]) {i=4, j=1, k=112, l=2, m=112, n=2, o=192, p=64} reduction={l, n, o} permutation={k, m}", tutti.rule = "d0 d3^ d4^ d1+, d5^ d6^ d1 (d0 d2) -> 1 d7^ d8^ (d0 d2)", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<4x224x224x192xf32>, tensor<3x3x192x256xf32>) -> tensor<1x112x112x256xf32>
  return
}

func.func @conv_feature_group_count(%arg0: tensor<8x224x224x192xf32>, %arg1: tensor<3x3x12x256xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 16 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([i, jk, lm, no], [k, m, o, np])->([i, j, l, np]) {i=8, j=112, k=2, l=112, m=2, n=16, o=12, p=16} reduction={k, m, o} permutation={j, l}", tutti.rule = "d1 d4^ d5^ (d0 d2+), d6^ d7^ d2 (d0 d3) -> d1 d8^ d9^ (d0 d3)", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<8x224x224x192xf32>, tensor<3x3x12x256xf32>) -> tensor<8x112x112x256xf32>
  return
}

func.func @conv_per_group_input_feature_size_one(%arg0: tensor<8x224x224x16xf32>, %arg1: tensor<3x3x1x256xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 16 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([i, jk, lm, n], [k, m, o, np])->([i, j, l, np]) {i=8, j=112, k=2, l=112, m=2, n=16, o=1, p=16} reduction={k, m, o} permutation={j, l}", tutti.rule = "d1 d3^ d4^ d0, d5^ d6^ 1 (d0 d2) -> d1 d7^ d8^ (d0 d2)", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<8x224x224x16xf32>, tensor<3x3x1x256xf32>) -> tensor<8x112x112x256xf32>
  return
}

func.func @conv_output_feature_size_one(%arg0: tensor<8x224x224x192xf32>, %arg1: tensor<3x3x12x16xf32>) {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 16 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.rule = "([i, jk, lm, no], [k, m, o, n])->([i, j, l, n]) {i=8, j=112, k=2, l=112, m=2, n=16, o=12} reduction={k, m, o} permutation={j, l}", tutti.rule = "d1 d3^ d4^ (d0 d2+), d5^ d6^ d2 d0 -> d1 d7^ d8^ d0", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<8x224x224x192xf32>, tensor<3x3x12x16xf32>) -> tensor<8x112x112x16xf32>
  return
}

func.func @dot_vector_vector(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>) {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.rule = "([i], [i])->([]) {i=32} reduction={i}"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<f32>
  return
}

func.func @dot_vector_matrix(%arg0: tensor<32xf32>, %arg1: tensor<32x16xf32>) {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.rule = "([j], [j, i])->([i]) {i=16, j=32} reduction={j}"} : (tensor<32xf32>, tensor<32x16xf32>) -> tensor<16xf32>
  return
}

func.func @dot_matrix_vector(%arg0: tensor<8x32xf32>, %arg1: tensor<32xf32>) {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.rule = "([i, j], [j])->([i]) {i=8, j=32} reduction={j}"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8xf32>
  return
}

func.func @dot_matrix_matrix(%arg0: tensor<8x32xf32>, %arg1: tensor<32x16xf32>) {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.rule = "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_general_no_batching_dims(%arg0: tensor<8x32xf32>, %arg1: tensor<32x16xf32>) {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {shardy.rule = "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_general_batching_dims(%arg0: tensor<4x8x32xf32>, %arg1: tensor<4x32x16xf32>) {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> {shardy.rule = "([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=16, l=32} reduction={l}"} : (tensor<4x8x32xf32>, tensor<4x32x16xf32>) -> tensor<4x8x16xf32>
  return
}

func.func @dot_general_many_mixed_dims(%arg0: tensor<2x4x8x4x64x32xf32>, %arg1: tensor<16x32x64x4x2xf32>) {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [4, 3], lhs_contracting_dimensions = [5, 4], rhs_contracting_dimensions = [1, 2]>}> {shardy.rule = "([i, j, k, l, o, n], [m, n, o, j, i])->([i, j, k, l, m]) {i=2, j=4, k=8, l=4, m=16, n=32, o=64} reduction={n, o}"} : (tensor<2x4x8x4x64x32xf32>, tensor<16x32x64x4x2xf32>) -> tensor<2x4x8x4x16xf32>
  return
}
