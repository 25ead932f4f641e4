// Restated tests of Shardy: layouts before and after an operation (README.md).

func.func @negate_input_sharding_is_larger(%arg0: tensor<4x32xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.negate"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

func.func @negate_input_and_output_sharded_on_separate_dims(%arg0: tensor<4x32xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.negate"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

func.func @add(%arg0: tensor<4x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<4x32xf32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.add"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Shard(0) -> Shard(0)"}} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

func.func @add_input_sharding_is_larger(%arg0: tensor<4x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<4x32xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.add"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Shard(0) -> Shard(0)"}} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

func.func @add_output_sharding_is_larger(%arg0: tensor<4x32xf32> {shardy.y = "Shard(0)"}, %arg1: tensor<4x32xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.add"(%arg0, %arg1) {shardy.layouts = {y = "Shard(0), Shard(0) -> Shard(0)"}} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

func.func @add_inputs_are_sharded_the_same_way_output_is_unsharded(%arg0: tensor<4x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<4x32xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.add"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Shard(0) -> Shard(0)"}} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

func.func @transpose(%arg0: tensor<256x32x64x100xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 3, 1, 0, 2>}> {shardy.layouts = {x = "Shard(1) -> Shard(1)", y = "Shard(2) -> Shard(3)"}} : (tensor<256x32x64x100xf32>) -> tensor<100x32x256x64xf32>
  return
}

func.func @clamp(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32> {shardy.x = "Shard(0)"}, %arg2: tensor<4x8xf32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) {shardy.layouts = {x = "Shard(0), Shard(0), Shard(0) -> Shard(0)"}} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @select(%arg0: tensor<4x8xi1>, %arg1: tensor<4x8xf32> {shardy.x = "Shard(0)"}, %arg2: tensor<4x8xf32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.select"(%arg0, %arg1, %arg2) {shardy.layouts = {x = "Shard(0), Shard(0), Shard(0) -> Shard(0)"}} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @select_scalar_pred(%arg0: tensor<i1>, %arg1: tensor<4x8xf32> {shardy.x = "Shard(0)"}, %arg2: tensor<4x8xf32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.select"(%arg0, %arg1, %arg2) {shardy.layouts = {x = "Replicate, Shard(0), Shard(0) -> Shard(0)"}} : (tensor<i1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @bitcast_convert_upcast(%arg0: tensor<4x2x2xui32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<4x2x2xui32>) -> tensor<4x2xui64>
  return
}

func.func @bitcast_convert_upcast_casting_dim_is_sharded(%arg0: tensor<4x2x2xui32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Replicate -> Replicate"}} : (tensor<4x2x2xui32>) -> tensor<4x2xui64>
  return
}

func.func @bitcast_convert_downcast(%arg0: tensor<4x2xui64> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<4x2xui64>) -> tensor<4x2x2xui32>
  return
}

func.func @bitcast_convert_downcast_casting_dim_is_sharded(%arg0: tensor<4x2xui64> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.bitcast_convert"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<4x2xui64>) -> tensor<4x2x2xui32>
  return
}

func.func @broadcast_in_dim(%arg0: tensor<2x3x5x1x7xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 2, 1, 3, 4>}> {shardy.layouts = {x = "Replicate -> Replicate"}} : (tensor<2x3x5x1x7xf32>) -> tensor<2x5x3x11x7x13xf32>
  return
}

func.func @broadcast_in_dim_input_output_different(%arg0: tensor<2x3x5x1x7xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 2, 1, 3, 4>}> {shardy.layouts = {x = "Shard(2) -> Shard(1)", y = "Replicate -> Shard(5)"}, tutti.layouts = {x = "Replicate -> Replicate", y = "Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<2x3x5x1x7xf32>) -> tensor<2x5x3x11x7x13xf32>
  return
}

func.func @reduce_single_result_reduction_dim_not_sharded(%arg0: tensor<2x64x13xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({ ^bb0(%l0: tensor<f32>, %r0: tensor<f32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%s0) : (tensor<f32>) -> () }) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {x = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<2x64x13xf32>, tensor<f32>) -> tensor<2x13xf32>
  return
}

func.func @reduce_single_result_reduction_dim_sharded(%arg0: tensor<2x64x13xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({ ^bb0(%l0: tensor<f32>, %r0: tensor<f32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%s0) : (tensor<f32>) -> () }) {shardy.layouts = {x = "Shard(1), Replicate -> Partial(sum)"}} : (tensor<2x64x13xf32>, tensor<f32>) -> tensor<2x13xf32>
  return
}

func.func @reduce_single_result_multiple_reduction_dims_sharded(%arg0: tensor<2x64x13xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 0, 1>}> ({ ^bb0(%l0: tensor<f32>, %r0: tensor<f32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%s0) : (tensor<f32>) -> () }) {shardy.layouts = {x = "Shard(1), Replicate -> Partial(sum)", y = "Shard(0), Replicate -> Partial(sum)"}} : (tensor<2x64x13xf32>, tensor<f32>) -> tensor<13xf32>
  return
}

func.func @reduce_multiple_results(%arg0: tensor<2x64x13xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<2x64x13xi32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %2:2 = "stablehlo.reduce"(%arg0, %arg1, %0, %1) <{dimensions = array<i64: 0, 2>}> ({ ^bb0(%l0: tensor<f32>, %l1: tensor<i32>, %r0: tensor<f32>, %r1: tensor<i32>): %s0 = "stablehlo.add"(%l0, %r0) : (tensor<f32>, tensor<f32>) -> tensor<f32> %s1 = "stablehlo.add"(%l1, %r1) : (tensor<i32>, tensor<i32>) -> tensor<i32> "stablehlo.return"(%s0, %s1) : (tensor<f32>, tensor<i32>) -> () }) {shardy.layouts = {x = "Shard(0), Shard(0), Replicate, Replicate -> Partial(sum), Partial(sum)"}, tutti.layouts = {x = "Replicate, Replicate, Replicate, Replicate -> Replicate, Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<2x64x13xf32>, tensor<2x64x13xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
  return
}

func.func @fft(%arg0: tensor<128x32x64xcomplex<f32>> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 32, 64>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Shard(0) of 8 -> Shard(0) of 8"}, tutti.layouts = {y = "Replicate -> Replicate", z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<128x32x64xcomplex<f32>>) -> tensor<128x32x64xcomplex<f32>>
  return
}

func.func @fft_inverse(%arg0: tensor<128x32x64xcomplex<f32>> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 32, 64>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Shard(0) of 8 -> Shard(0) of 8"}, tutti.layouts = {y = "Replicate -> Replicate", z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<128x32x64xcomplex<f32>>) -> tensor<128x32x64xcomplex<f32>>
  return
}

func.func @fft_real_truncated_result(%arg0: tensor<128x32x64xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 32, 64>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Shard(0) of 8 -> Shard(0) of 8"}, tutti.layouts = {y = "Replicate -> Replicate", z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<128x32x64xf32>) -> tensor<128x32x33xcomplex<f32>>
  return
}

func.func @fft_small_batch_dimension(%arg0: tensor<16x32x64xcomplex<f32>> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 32, 64>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Replicate -> Replicate"}, tutti.layouts = {y = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<16x32x64xcomplex<f32>>) -> tensor<16x32x64xcomplex<f32>>
  return
}

func.func @fft_single_fft_dimension(%arg0: tensor<128x32x64xcomplex<f32>> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 64>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(1) -> Shard(1)", z = "Shard(0) of 4 -> Shard(0) of 4"}, tutti.layouts = {z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<128x32x64xcomplex<f32>>) -> tensor<128x32x64xcomplex<f32>>
  return
}

func.func @fft_single_fft_dimension_real_truncated_result(%arg0: tensor<128x32x64xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.fft"(%arg0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 64>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(1) -> Shard(1)", z = "Shard(0) of 4 -> Shard(0) of 4"}, tutti.layouts = {z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<128x32x64xf32>) -> tensor<128x32x33xcomplex<f32>>
  return
}

func.func @custom_call_erf(%arg0: tensor<8x4xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.erf"}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(1) -> Shard(1)"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

func.func @custom_call_topk_of_1d(%arg0: tensor<16xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.layouts = {x = "Replicate -> Replicate, Replicate"}} : (tensor<16xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

func.func @custom_call_topk_of_2d(%arg0: tensor<16x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.layouts = {x = "Shard(0) -> Shard(0), Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4, Shard(0) of 4"}, tutti.layouts = {y = "Replicate -> Replicate, Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<16x8xf32>) -> (tensor<16x1xf32>, tensor<16x1xi32>)
  return
}

func.func @custom_call_top2_of_2d(%arg0: tensor<16x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.layouts = {x = "Shard(0) -> Shard(0), Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4, Shard(0) of 4"}, tutti.layouts = {y = "Replicate -> Replicate, Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<16x8xf32>) -> (tensor<16x2xf32>, tensor<16x2xi32>)
  return
}

func.func @custom_call_top2_of_2d_all_same_sharding(%arg0: tensor<16x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.layouts = {x = "Shard(0) -> Shard(0), Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4, Shard(0) of 4"}, tutti.layouts = {y = "Replicate -> Replicate, Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<16x8xf32>) -> (tensor<16x2xf32>, tensor<16x2xi32>)
  return
}
