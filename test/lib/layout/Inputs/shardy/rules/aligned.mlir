// Restated tests of Shardy: rules of sharding (README.md).

func.func @pointwise_op(%arg0: tensor<2x1x4xf32>) {
  %0 = "stablehlo.add"(%arg0, %arg0) {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=2, j=1, k=4}"} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return
}

func.func @pointwise_op_size_zero_dim(%arg0: tensor<2x0x4xf32>) {
  %0 = "stablehlo.add"(%arg0, %arg0) {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=2, j=0, k=4}"} : (tensor<2x0x4xf32>, tensor<2x0x4xf32>) -> tensor<2x0x4xf32>
  return
}

func.func @scalar_op(%arg0: tensor<f32>) {
  %0 = "stablehlo.add"(%arg0, %arg0) {shardy.rule = "([], [])->([])"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

func.func @all_gather(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) {
  %0:2 = "stablehlo.all_gather"(%arg0, %arg1) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}> {shardy.rule = "([i, j], [i, j])->([i, k], [i, k]) {i=2, j=2, k=4} need_replication={j, k}", tutti.rule = "none", tutti.because = "of a program for several ranks; here only one for one device is distributed"} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
  return
}

func.func @all_to_all_different_dimensions(%arg0: tensor<2x4xi64>, %arg1: tensor<2x4xi64>) {
  %0:2 = "stablehlo.all_to_all"(%arg0, %arg1) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {shardy.rule = "([k, i], [k, i])->([l, j], [l, j]) {i=4, j=2, k=2, l=4} need_replication={i, j, k, l}"} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>)
  return
}

func.func @all_to_all_same_dimension(%arg0: tensor<2x4xi64>, %arg1: tensor<2x4xi64>) {
  %0:2 = "stablehlo.all_to_all"(%arg0, %arg1) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {shardy.rule = "([j, i], [j, i])->([k, i], [k, i]) {i=4, j=2, k=2} need_replication={j, k}", tutti.rule = "none", tutti.because = "of a program for several ranks; here only one for one device is distributed"} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
  return
}

func.func @batch_norm_inference(%arg0: tensor<4x8x16x32xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 0.001 : f32, feature_index = 2 : i64}> {shardy.rule = "([i, j, k, l], [k], [k], [k], [k])->([i, j, k, l]) {i=4, j=8, k=16, l=32}"} : (tensor<4x8x16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x8x16x32xf32>
  return
}

func.func @bitcast_convert_upcast(%arg0: tensor<4x2x2xui32>) {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.rule = "([i, j, k])->([i, j]) {i=4, j=2, k=2} need_replication={k}"} : (tensor<4x2x2xui32>) -> tensor<4x2xui64>
  return
}

func.func @bitcast_convert_equal(%arg0: tensor<4x2x2xui32>) {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.rule = "([i, j, k])->([i, j, k]) {i=4, j=2, k=2}"} : (tensor<4x2x2xui32>) -> tensor<4x2x2xui32>
  return
}

func.func @bitcast_convert_downcast(%arg0: tensor<4x2xui64>) {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.rule = "([i, j])->([i, j, k]) {i=4, j=2, k=2} need_replication={k}"} : (tensor<4x2xui64>) -> tensor<4x2x2xui32>
  return
}

func.func @broadcast_in_dim(%arg0: tensor<2x13x1xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 2, 3>}> {shardy.rule = "([i, k, l])->([i, j, k, l]) {i=2, j=64, k=13, l=1}"} : (tensor<2x13x1xf32>) -> tensor<2x64x13x1xf32>
  return
}

func.func @broadcast_in_dim_size_zero_dim(%arg0: tensor<2x13x0xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 2, 3>}> {shardy.rule = "([i, k, l])->([i, j, k, l]) {i=2, j=64, k=13, l=0}"} : (tensor<2x13x0xf32>) -> tensor<2x64x13x0xf32>
  return
}

func.func @broadcast_in_dim_no_broadcast_dims(%arg0: tensor<f32>) {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64>}> {shardy.rule = "([])->([i, j, k]) {i=2, j=1, k=13}"} : (tensor<f32>) -> tensor<2x1x13xf32>
  return
}

func.func @broadcast_in_dim_input_dim_expanded(%arg0: tensor<2x1x13xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 1, 2>}> {shardy.rule = "([i, j, l])->([i, k, l]) {i=2, j=1, k=64, l=13}"} : (tensor<2x1x13xf32>) -> tensor<2x64x13xf32>
  return
}

func.func @broadcast_in_dim_all_dim_types_in_one(%arg0: tensor<2x3x5x1x7xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 2, 1, 3, 4>}> {shardy.rule = "([i, k, j, l, n])->([i, j, k, m, n, o]) {i=2, j=5, k=3, l=1, m=11, n=7, o=13}"} : (tensor<2x3x5x1x7xf32>) -> tensor<2x5x3x11x7x13xf32>
  return
}

func.func @cholesky(%arg0: tensor<2x4x8x8xf32>) {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.rule = "([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=8, l=8} need_replication={k, l}"} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

func.func @clamp(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) {
  %0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) {shardy.rule = "([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @clamp_scalar_min_max(%arg0: tensor<f32>, %arg1: tensor<4x8xf32>, %arg2: tensor<f32>) {
  %0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) {shardy.rule = "([], [i, j], [])->([i, j]) {i=4, j=8}"} : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

func.func @concat_operands_dim_size_one(%arg0: tensor<4x1x256xf32>, %arg1: tensor<4x1x256xf32>, %arg2: tensor<4x1x256xf32>) {
  %0 = "stablehlo.concatenate"(%arg0, %arg1, %arg2) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k], [i, j, k])->([i, j, k]) {i=4, j=3, k=256} need_replication={j}"} : (tensor<4x1x256xf32>, tensor<4x1x256xf32>, tensor<4x1x256xf32>) -> tensor<4x3x256xf32>
  return
}

func.func @concat_gcd_is_one(%arg0: tensor<4x3x256xf32>, %arg1: tensor<4x5x256xf32>) {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=8, k=256} need_replication={j}"} : (tensor<4x3x256xf32>, tensor<4x5x256xf32>) -> tensor<4x8x256xf32>
  return
}

func.func @concat_operands_with_same_shape(%arg0: tensor<4x16x256xf32>, %arg1: tensor<4x16x256xf32>) {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=32, k=256} need_replication={j}"} : (tensor<4x16x256xf32>, tensor<4x16x256xf32>) -> tensor<4x32x256xf32>
  return
}

func.func @concat_gcd_is_equal_to_operand_dim(%arg0: tensor<4x32x256xf32>, %arg1: tensor<4x16x256xf32>) {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=48, k=256} need_replication={j}"} : (tensor<4x32x256xf32>, tensor<4x16x256xf32>) -> tensor<4x48x256xf32>
  return
}

func.func @concat_gcd_is_greater_than_all_operand_dims(%arg0: tensor<4x32x256xf32>, %arg1: tensor<4x48x256xf32>) {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=80, k=256} need_replication={j}"} : (tensor<4x32x256xf32>, tensor<4x48x256xf32>) -> tensor<4x80x256xf32>
  return
}

func.func @concat_operands_are_results_of_slices(%arg0: tensor<4x40x256xf32>, %arg1: tensor<4x60x256xf32>) {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 32, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x40x256xf32>) -> tensor<4x32x256xf32>
  %1 = "stablehlo.slice"(%arg1) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 48, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x60x256xf32>) -> tensor<4x48x256xf32>
  %2 = "stablehlo.concatenate"(%0, %1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=80, k=256} permutation={j}", tutti.rule = "d0 d2^ d1, d0 d3^ d1 -> d0 d4^ d1", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<4x32x256xf32>, tensor<4x48x256xf32>) -> tensor<4x80x256xf32>
  return
}

func.func @concat_operands_are_from_slices_of_the_same_tensor(%arg0: tensor<4x40x256xf32>) {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 32, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x40x256xf32>) -> tensor<4x32x256xf32>
  %1 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 24, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x40x256xf32>) -> tensor<4x24x256xf32>
  %2 = "stablehlo.concatenate"(%0, %arg0, %1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k], [i, j, k])->([i, j, k]) {i=4, j=96, k=256} permutation={j}", tutti.rule = "d0 d2^ d1, d0 d3^ d1, d0 d4^ d1 -> d0 d5^ d1", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<4x32x256xf32>, tensor<4x40x256xf32>, tensor<4x24x256xf32>) -> tensor<4x96x256xf32>
  return
}

func.func @concat_not_all_operands_are_results_of_slices(%arg0: tensor<4x40x256xf32>, %arg1: tensor<4x60x256xf32>) {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 32, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x40x256xf32>) -> tensor<4x32x256xf32>
  %1 = "stablehlo.negate"(%arg1) : (tensor<4x60x256xf32>) -> tensor<4x60x256xf32>
  %2 = "stablehlo.concatenate"(%0, %1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=92, k=256} need_replication={j}"} : (tensor<4x32x256xf32>, tensor<4x60x256xf32>) -> tensor<4x92x256xf32>
  return
}

func.func @concat_not_all_operands_are_from_slices_of_the_same_tensor(%arg0: tensor<4x40x256xf32>, %arg1: tensor<4x60x256xf32>) {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 32, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x40x256xf32>) -> tensor<4x32x256xf32>
  %1 = "stablehlo.slice"(%arg1) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 4, 24, 256>, strides = array<i64: 1, 1, 1>}> : (tensor<4x60x256xf32>) -> tensor<4x24x256xf32>
  %2 = "stablehlo.concatenate"(%0, %arg0, %1) <{dimension = 1 : i64}> {shardy.rule = "([i, j, k], [i, j, k], [i, j, k])->([i, j, k]) {i=4, j=96, k=256} need_replication={j}"} : (tensor<4x32x256xf32>, tensor<4x40x256xf32>, tensor<4x24x256xf32>) -> tensor<4x96x256xf32>
  return
}

func.func @concat_operands_are_on_the_same_tensor(%arg0: tensor<4x64xbf16>) {
  %0 = "stablehlo.concatenate"(%arg0, %arg0, %arg0) <{dimension = 0 : i64}> {shardy.rule = "([i, j], [i, j], [i, j])->([i, j]) {i=12, j=64} need_replication={i}"} : (tensor<4x64xbf16>, tensor<4x64xbf16>, tensor<4x64xbf16>) -> tensor<12x64xbf16>
  return
}

func.func @concat_operands_are_on_the_same_tensor_one_is_slice(%arg0: tensor<4x64xbf16>) {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 64>, strides = array<i64: 1, 1>}> : (tensor<4x64xbf16>) -> tensor<2x64xbf16>
  %1 = "stablehlo.concatenate"(%arg0, %0, %arg0) <{dimension = 0 : i64}> {shardy.rule = "([i, j], [i, j], [i, j])->([i, j]) {i=10, j=64} permutation={i}", tutti.rule = "d1^ d0, d2^ d0, d3^ d0 -> d4^ d0", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<4x64xbf16>, tensor<2x64xbf16>, tensor<4x64xbf16>) -> tensor<10x64xbf16>
  return
}

func.func @fft(%arg0: tensor<8x32x64xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 32, 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=64} need_replication={j, k}"} : (tensor<8x32x64xcomplex<f32>>) -> tensor<8x32x64xcomplex<f32>>
  return
}

func.func @fft_inverse(%arg0: tensor<8x32x64xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 32, 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=64} need_replication={j, k}"} : (tensor<8x32x64xcomplex<f32>>) -> tensor<8x32x64xcomplex<f32>>
  return
}

func.func @fft_real_truncated_result(%arg0: tensor<8x32x64xf32>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 32, 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=64} need_replication={j, k} blocked_propagation={k}"} : (tensor<8x32x64xf32>) -> tensor<8x32x33xcomplex<f32>>
  return
}

func.func @fft_inverse_real_expanded_result(%arg0: tensor<8x32x33xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 32, 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=33} need_replication={j, k} blocked_propagation={k}"} : (tensor<8x32x33xcomplex<f32>>) -> tensor<8x32x64xf32>
  return
}

func.func @fft_single_fft_dimension(%arg0: tensor<8x32x64xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=64} need_replication={k}"} : (tensor<8x32x64xcomplex<f32>>) -> tensor<8x32x64xcomplex<f32>>
  return
}

func.func @fft_single_fft_dimension_inverse(%arg0: tensor<8x32x64xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=64} need_replication={k}"} : (tensor<8x32x64xcomplex<f32>>) -> tensor<8x32x64xcomplex<f32>>
  return
}

func.func @fft_single_fft_dimension_real_truncated_result(%arg0: tensor<8x32x64xf32>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=64} need_replication={k} blocked_propagation={k}"} : (tensor<8x32x64xf32>) -> tensor<8x32x33xcomplex<f32>>
  return
}

func.func @fft_single_fft_dimension_inverse_real_expanded_result(%arg0: tensor<8x32x33xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 64>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=8, j=32, k=33} need_replication={k} blocked_propagation={k}"} : (tensor<8x32x33xcomplex<f32>>) -> tensor<8x32x64xf32>
  return
}

func.func @pad(%arg0: tensor<28x28x16xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, -1, 0>, edge_padding_high = array<i64: 1, -1, 0>, interior_padding = array<i64: 0, 0, 0>}> {shardy.rule = "([i, j, k], [])->([i, j, k]) {i=28, j=28, k=16} permutation={i, j}", tutti.rule = "d1^ d2^ d0, () -> d3^ d4^ d0", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<28x28x16xf32>, tensor<f32>) -> tensor<30x26x16xf32>
  return
}

func.func @reduce_single_result(%arg0: tensor<2x64x13xf32>) {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({ ^bb0(%l0: tensor<f32>, %r0: tensor<f32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%s0) : (tensor<f32>) -> () }) {shardy.rule = "([i, j, k], [])->([i, k]) {i=2, j=64, k=13} reduction={j}"} : (tensor<2x64x13xf32>, tensor<f32>) -> tensor<2x13xf32>
  return
}

func.func @reduce_multiple_results(%arg0: tensor<2x64x13xf32>, %arg1: tensor<2x64x13xi32>) {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %2:2 = "stablehlo.reduce"(%arg0, %arg1, %0, %1) <{dimensions = array<i64: 0, 2>}> ({ ^bb0(%l0: tensor<f32>, %l1: tensor<i32>, %r0: tensor<f32>, %r1: tensor<i32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> %s1 = "stablehlo.add"(%l1, %r1) : (tensor<i32>, tensor<i32>) -> tensor<i32> "stablehlo.return"(%s0, %s1) : (tensor<f32>, tensor<i32>) -> () }) {shardy.rule = "([i, j, k], [i, j, k], [], [])->([j], [j]) {i=2, j=64, k=13} reduction={i, k}"} : (tensor<2x64x13xf32>, tensor<2x64x13xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
  return
}

func.func @reduce_size_one_dim(%arg0: tensor<2x64x1x13xf32>) {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({ ^bb0(%l0: tensor<f32>, %r0: tensor<f32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%s0) : (tensor<f32>) -> () }) {shardy.rule = "([i, j, k, l], [])->([i, k, l]) {i=2, j=64, k=1, l=13} reduction={j}"} : (tensor<2x64x1x13xf32>, tensor<f32>) -> tensor<2x1x13xf32>
  return
}

func.func @reduce_scatter(%arg0: tensor<2x64x1x13xi64>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}> ({ ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>): %0 = "stablehlo.add"(%arg3, %arg4) : (tensor<i64>, tensor<i64>) -> tensor<i64> "stablehlo.return"(%0) : (tensor<i64>) -> () }) {shardy.rule = "([i, l, j, k])->([i, m, j, k]) {i=2, j=1, k=13, l=64, m=32} need_replication={l, m}", tutti.rule = "none", tutti.because = "of a program for several ranks; here only one for one device is distributed"} : (tensor<2x64x1x13xi64>) -> tensor<2x32x1x13xi64>
  return
}

func.func @reduce_window(%arg0: tensor<48x48x3xf32>, %arg1: tensor<48x48x3xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{window_dimensions = array<i64: 3, 1, 1>, window_strides = array<i64: 3, 1, 1>, padding = dense<[[0, 0], [2, -2], [0, 0]]> : tensor<3x2xi64>}> ({ ^bb0(%arg4: tensor<f32>, %arg5 : tensor<i32>, %arg6: tensor<f32>, %arg7 : tensor<i32>): %1 = "stablehlo.maximum"(%arg4, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32> %2 = "stablehlo.maximum"(%arg5, %arg7) : (tensor<i32>, tensor<i32>) -> tensor<i32> "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> () }) {shardy.rule = "([i, j, k], [i, j, k], [], [])->([i, j, k], [i, j, k]) {i=16, j=48, k=3} permutation={i, j}", tutti.rule = "d1^ d2^ d0, d3^ d4^ d0, (), () -> d5^ d6^ d0, d7^ d8^ d0", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<48x48x3xf32>, tensor<48x48x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<16x48x3xf32>, tensor<16x48x3xi32>)
  return
}

func.func @reduce_window_permute_only(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[-1, 1], [2, -2]]> : tensor<2x2xi64>}> ({ ^bb0(%arg4: tensor<f32>, %arg5 : tensor<f32>): %1 = "stablehlo.maximum"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1) : (tensor<f32>) -> () }) {shardy.rule = "([i, j], [])->([i, j]) {i=8, j=16} permutation={i, j}", tutti.rule = "d0^ d1^, () -> d2^ d3^", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  return
}

func.func @reduce_window_passthrough_dim(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({ ^bb0(%arg4: tensor<f32>, %arg5 : tensor<f32>): %1 = "stablehlo.maximum"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1) : (tensor<f32>) -> () }) {shardy.rule = "([i, j], [])->([i, j]) {i=8, j=16}"} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  return
}

func.func @reverse(%arg0: tensor<4x32x8x2xf32>) {
  %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 1, 3>}> {shardy.rule = "([i, j, k, l])->([i, j, k, l]) {i=4, j=32, k=8, l=2} permutation={j, l}", tutti.rule = "d0 d2^ d1 d3^ -> d0 d4^ d1 d5^", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<4x32x8x2xf32>) -> tensor<4x32x8x2xf32>
  return
}

func.func @rng_bit_generator(%arg0: tensor<2xui64>) {
  %output_state, %output = "stablehlo.rng_bit_generator"(%arg0) {shardy.rule = "([i])->([i], [j, k]) {i=2, j=4, k=1000} need_replication={i} blocked_propagation={i}"} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x1000xui32>)
  return
}

func.func @select(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) {
  %0 = "stablehlo.select"(%arg0, %arg1, %arg2) {shardy.rule = "([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}"} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @select_scalar_pred(%arg0: tensor<i1>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) {
  %0 = "stablehlo.select"(%arg0, %arg1, %arg2) {shardy.rule = "([], [i, j], [i, j])->([i, j]) {i=4, j=8}"} : (tensor<i1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @slice(%arg0: tensor<32x4x8xf32>) {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 1, 4>, limit_indices = array<i64: 32, 2, 8>, strides = array<i64: 1, 1, 2>}> {shardy.rule = "([i, j, k])->([i, j, k]) {i=32, j=4, k=8} permutation={j, k}", tutti.rule = "d0 d1^ d2^ -> d0 1 d3^", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<32x4x8xf32>) -> tensor<32x1x2xf32>
  return
}

func.func @transpose(%arg0: tensor<256x32x64x100xf32>) {
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 3, 1, 0, 2>}> {shardy.rule = "([k, j, l, i])->([i, j, k, l]) {i=100, j=32, k=256, l=64}"} : (tensor<256x32x64x100xf32>) -> tensor<100x32x256x64xf32>
  return
}

func.func @triangular_solve_left_side_no_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x3x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> {shardy.rule = "([i, j, l], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}"} : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return
}

func.func @triangular_solve_right_side_no_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x5x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> {shardy.rule = "([i, l, k], [i, j, k])->([i, j, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}"} : (tensor<8x3x3xf32>, tensor<8x5x3xf32>) -> tensor<8x5x3xf32>
  return
}

func.func @triangular_solve_left_side_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x3x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> {shardy.rule = "([i, l, j], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}"} : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return
}

func.func @triangular_solve_right_side_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x5x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> {shardy.rule = "([i, k, l], [i, j, k])->([i, j, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}"} : (tensor<8x3x3xf32>, tensor<8x5x3xf32>) -> tensor<8x5x3xf32>
  return
}
