// Restated tests of Shardy: layouts before and after an operation (README.md).

func.func @concatenate_an_axis_is_used_in_both_batch_and_concat_dims(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<8x48xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 1 : i64}> {shardy.layouts = {x = "Shard(0), Shard(0) -> Shard(0)"}} : (tensor<8x32xf32>, tensor<8x48xf32>) -> tensor<8x80xf32>
  return
}

func.func @pad_both_input_and_output_permutation_dims_are_sharded_input_is_larger(%arg0: tensor<28x28x16xf32> {shardy.x = "Shard(2)", shardy.y = "Shard(0)"}, %arg1: tensor<f32>) attributes {shardy.axes = {x = 4 : i64, y = 4 : i64}} {
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, -1, 0>, edge_padding_high = array<i64: 1, -1, 0>, interior_padding = array<i64: 0, 0, 0>}> {shardy.layouts = {x = "Shard(2), Replicate -> Shard(2)", y = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {y = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<28x28x16xf32>, tensor<f32>) -> tensor<30x26x16xf32>
  return
}

func.func @pad_same_permutation_dim_is_sharded_on_both_sides_input_is_larger(%arg0: tensor<28x28x16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)"}, %arg1: tensor<f32>) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, -1, 0>, edge_padding_high = array<i64: 1, -1, 0>, interior_padding = array<i64: 0, 0, 0>}> {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(2), Replicate -> Shard(2)"}, tutti.layouts = {x = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<28x28x16xf32>, tensor<f32>) -> tensor<30x26x16xf32>
  return
}

func.func @pad_same_permutation_dim_is_sharded_on_both_sides_output_is_larger(%arg0: tensor<28x28x16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)"}, %arg1: tensor<f32>) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, p = 3 : i64}} {
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, 1, 0>, edge_padding_high = array<i64: 1, 1, 0>, interior_padding = array<i64: 0, 0, 0>}> {shardy.layouts = {x = "Replicate, Replicate -> Replicate", y = "Shard(2), Replicate -> Shard(2)", p = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {p = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<28x28x16xf32>, tensor<f32>) -> tensor<30x30x16xf32>
  return
}

func.func @pad_input_and_output_permutation_dims_are_sharded_same_way_input_is_larger(%arg0: tensor<28x28x16xf32> {shardy.y = "Shard(2)", shardy.z = "Shard(0)"}, %arg1: tensor<f32>) attributes {shardy.axes = {y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, -1, 0>, edge_padding_high = array<i64: 1, -1, 0>, interior_padding = array<i64: 0, 0, 0>}> {shardy.layouts = {y = "Shard(2), Replicate -> Shard(2)", z = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {z = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<28x28x16xf32>, tensor<f32>) -> tensor<30x26x16xf32>
  return
}

func.func @slice(%arg0: tensor<32x4x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 1, 4>, limit_indices = array<i64: 32, 2, 8>, strides = array<i64: 1, 1, 2>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<32x4x8xf32>) -> tensor<32x1x2xf32>
  return
}

func.func @slice_both_input_and_output_permutation_dims_are_sharded(%arg0: tensor<32x64x128xf32> {shardy.x = "Shard(2)", shardy.z = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, z = 4 : i64}} {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 8, 0, 0>, limit_indices = array<i64: 12, 64, 128>, strides = array<i64: 1, 8, 1>}> {shardy.layouts = {x = "Shard(2) -> Shard(2)", z = "Shard(0) -> Shard(0)"}, tutti.layouts = {z = "Replicate -> Replicate"}, tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<32x64x128xf32>) -> tensor<4x8x128xf32>
  return
}

func.func @slice_both_operand_and_result_have_sharded_permutation_factors_result_has_larger_sharding_on_permutation_factor(%arg0: tensor<2048x1152x192xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(0) of 4", shardy.z = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 2048, 1024, 128>, strides = array<i64: 1, 1, 1>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Shard(2) -> Shard(2)"}, tutti.layouts = {z = "Replicate -> Replicate"}, tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<2048x1152x192xf32>) -> tensor<2048x1024x128xf32>
  return
}

func.func @slice_both_operand_and_result_have_sharded_permutation_factors_operand_has_larger_sharding_on_permutation_factor(%arg0: tensor<2048x1152x192xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)", shardy.z = "Shard(0) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 2048, 1024, 128>, strides = array<i64: 1, 1, 1>}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(2) -> Shard(2)", z = "Shard(0) of 4 -> Shard(0) of 4"}, tutti.layouts = {y = "Replicate -> Replicate"}, tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<2048x1152x192xf32>) -> tensor<2048x1024x128xf32>
  return
}

func.func @slice_input_and_output_permutation_dims_are_sharded_differently_but_nonempty_prefix(%arg0: tensor<32x64x128xf32> {shardy.x = "Shard(0) of 4", shardy.y = "Shard(2)", shardy.z = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 8, 0, 0>, limit_indices = array<i64: 24, 64, 128>, strides = array<i64: 1, 8, 1>}> {shardy.layouts = {x = "Shard(0) of 4 -> Shard(0) of 4", y = "Shard(2) -> Shard(2)", z = "Shard(0) -> Shard(0)"}, tutti.layouts = {x = "Replicate -> Replicate", z = "Replicate -> Replicate"}, tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<32x64x128xf32>) -> tensor<16x8x128xf32>
  return
}

func.func @sort(%arg0: tensor<4x32x8xi32> {shardy.x = "Shard(0)"}, %arg1: tensor<4x32x8xf32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({ ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>): %1 = "stablehlo.compare"(%arg2, %arg3) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<i32>, tensor<i32>) -> tensor<i1> "stablehlo.return"(%1) : (tensor<i1>) -> () }) {shardy.layouts = {x = "Shard(1), Shard(1) -> Shard(1), Shard(1)"}, tutti.layouts = {x = "Replicate, Replicate -> Replicate, Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<4x32x8xi32>, tensor<4x32x8xf32>) -> (tensor<4x32x8xi32>, tensor<4x32x8xf32>)
  return
}

func.func @sort_all_other_dims_size_one(%arg0: tensor<1x4x1xi32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({ ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>): %1 = "stablehlo.compare"(%arg2, %arg3) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<i32>, tensor<i32>) -> tensor<i1> "stablehlo.return"(%1) : (tensor<i1>) -> () }) {shardy.layouts = {x = "Replicate -> Replicate"}} : (tensor<1x4x1xi32>) -> tensor<1x4x1xi32>
  return
}

func.func @sort_single_input_output(%arg0: tensor<4x32x8xi32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({ ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>): %1 = "stablehlo.compare"(%arg2, %arg3) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<i32>, tensor<i32>) -> tensor<i1> "stablehlo.return"(%1) : (tensor<i1>) -> () }) {shardy.layouts = {x = "Shard(1) of 2 -> Shard(1) of 2", y = "Shard(1) -> Shard(1)"}, tutti.layouts = {x = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<4x32x8xi32>) -> tensor<4x32x8xi32>
  return
}

func.func @cholesky_sharded_input_batch_dim_only(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_batch_dim_only_different(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_input_cholesky_dim_only(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}, tutti.layouts = {x = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_cholesky_dim_only_different(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}, tutti.layouts = {x = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_input_batch_dim_and_output_cholesky_dim_same(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_output_batch_dim_and_input_cholesky_dim_same(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)"}, tutti.layouts = {x = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_same(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4"}, tutti.layouts = {y = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @cholesky_sharded_same_both_cholesky_dimensions(%arg0: tensor<128x4x8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)", shardy.z = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Shard(0) of 8 -> Shard(0) of 8"}, tutti.layouts = {y = "Replicate -> Replicate", z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<128x4x8x8xf32>) -> tensor<128x4x8x8xf32>
  return
}

func.func @cholesky_sharded_same_both_cholesky_dimensions_small_batch_dim(%arg0: tensor<16x2x8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)", shardy.z = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Replicate -> Replicate"}, tutti.layouts = {y = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<16x2x8x8xf32>) -> tensor<16x2x8x8xf32>
  return
}

func.func @cholesky_sharded_same_both_cholesky_dimensions_small_batch_dim_second_batch_dim_larger(%arg0: tensor<16x8x8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)", shardy.z = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(0) of 4", z = "Shard(1) -> Shard(1)"}, tutti.layouts = {y = "Replicate -> Replicate", z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<16x8x8x8xf32>) -> tensor<16x8x8x8xf32>
  return
}

func.func @cholesky_sharded_cholesky_dim_input_only_batch_dim_both_but_input_sharding_larger(%arg0: tensor<8x4x8x8xf32> {shardy.x = "Shard(0)", shardy.z = "Shard(3)"}) attributes {shardy.axes = {x = 4 : i64, z = 4 : i64}} {
  %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> {shardy.layouts = {x = "Shard(0) -> Shard(0)", z = "Shard(1) -> Shard(1)"}, tutti.layouts = {z = "Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return
}

func.func @dynamic_slice(%arg0: tensor<32x4x8xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(2)"}, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2, %arg3) <{slice_sizes = array<i64: 32, 1, 2>}> {shardy.layouts = {x = "Shard(0), Replicate, Replicate, Replicate -> Shard(0)", y = "Shard(0) of 4, Replicate, Replicate, Replicate -> Shard(0) of 4"}, tutti.layouts = {x = "Replicate, Replicate, Replicate, Replicate -> Replicate", y = "Replicate, Replicate, Replicate, Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<32x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x1x2xf32>
  return
}

func.func @dynamic_slice_input_output_same_sharding(%arg0: tensor<32x8x8xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(2)"}, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2, %arg3) <{slice_sizes = array<i64: 32, 4, 2>}> {shardy.layouts = {x = "Shard(0), Replicate, Replicate, Replicate -> Shard(0)", y = "Shard(0) of 4, Replicate, Replicate, Replicate -> Shard(0) of 4"}, tutti.layouts = {x = "Replicate, Replicate, Replicate, Replicate -> Replicate", y = "Replicate, Replicate, Replicate, Replicate -> Replicate"}, tutti.because = "a dimension that must be whole, whose ranks Shardy lets cut another one instead; here each computes all"} : (tensor<32x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x2xf32>
  return
}

func.func @dynamic_update_slice(%arg0: tensor<32x4x8xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(2)"}, %arg1: tensor<32x1x2xf32> {shardy.y = "Shard(2)"}, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3, %arg4) {shardy.layouts = {x = "Shard(1), Replicate, Replicate, Replicate, Replicate -> Shard(1)", y = "Shard(2), Replicate, Replicate, Replicate, Replicate -> Shard(2)"}, tutti.layouts = {x = "Replicate, Replicate, Replicate, Replicate, Replicate -> Replicate", y = "Replicate, Replicate, Replicate, Replicate, Replicate -> Replicate"}, tutti.because = "an update may lie in another part, which Shardy masks; here such a dimension is gathered"} : (tensor<32x4x8xf32>, tensor<32x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x8xf32>
  return
}

func.func @dynamic_update_slice_different_input_and_output_sharding(%arg0: tensor<32x4x8xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(2)"}, %arg1: tensor<32x1x2xf32> {shardy.y = "Shard(2)"}, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3, %arg4) {shardy.layouts = {x = "Shard(2), Replicate, Replicate, Replicate, Replicate -> Shard(2)", y = "Shard(1), Replicate, Replicate, Replicate, Replicate -> Shard(1)"}, tutti.layouts = {x = "Replicate, Replicate, Replicate, Replicate, Replicate -> Replicate", y = "Replicate, Replicate, Replicate, Replicate, Replicate -> Replicate"}, tutti.because = "an update may lie in another part, which Shardy masks; here such a dimension is gathered"} : (tensor<32x4x8xf32>, tensor<32x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x8xf32>
  return
}

func.func @dynamic_update_slice_batching_dim_is_sharded_on_input(%arg0: tensor<32x4x8xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<32x1x2xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3, %arg4) {shardy.layouts = {x = "Shard(0), Shard(0), Replicate, Replicate, Replicate -> Shard(0)"}} : (tensor<32x4x8xf32>, tensor<32x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x8xf32>
  return
}

func.func @reduce_window(%arg0: tensor<48x48x3xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<48x48x3xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{window_dimensions = array<i64: 3, 1, 3>, window_strides = array<i64: 3, 1, 3>, padding = dense<[[0, 0], [2, -2], [0, 0]]> : tensor<3x2xi64>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>]>}> ({ ^bb0(%arg4: tensor<f32>, %arg5 : tensor<i32>, %arg6: tensor<f32>, %arg7 : tensor<i32>): %1 = "stablehlo.maximum"(%arg4, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32> %2 = "stablehlo.maximum"(%arg5, %arg7) : (tensor<i32>, tensor<i32>) -> tensor<i32> "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> () }) {shardy.layouts = {x = "Shard(0), Replicate, Replicate, Replicate -> Shard(0), Shard(0)"}, tutti.layouts = {x = "Replicate, Replicate, Replicate, Replicate -> Replicate, Replicate"}, tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<48x48x3xf32>, tensor<48x48x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<16x48x1xf32>, tensor<16x48x1xi32>)
  return
}

func.func @select_and_scatter(%arg0: tensor<10x24x24x64xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<10x12x12x64xf32>, %arg2: tensor<f32>) attributes {shardy.axes = {x = 4 : i64}} {
  %1 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}, {}]>]>}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %2 = "stablehlo.compare"(%arg3, %arg4) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f32>, tensor<f32>) -> tensor<i1> "stablehlo.return"(%2) : (tensor<i1>) -> () }, { ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %2 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%2) : (tensor<f32>) -> () }) {shardy.layouts = {x = "Shard(0), Replicate, Replicate -> Shard(0)"}, tutti.layouts = {x = "Replicate, Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<10x24x24x64xf32>, tensor<10x12x12x64xf32>, tensor<f32>) -> tensor<10x24x24x64xf32>
  return
}

func.func @select_and_scatter_passthrough_dimension(%arg0: tensor<12x24x48xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}, %arg1: tensor<11x12x48xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)", shardy.z = "Shard(2)"}, %arg2: tensor<f32>) attributes {shardy.axes = {x = 4 : i64, y = 4 : i64, z = 4 : i64}} {
  %1 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 1>, padding = dense<[[-1, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>, window_strides = array<i64: 1, 2, 1>, sdy.sharding = #sdy.sharding_per_value<[<@mesh_xyzt, [{"x"}, {"y"}, {"z"}]>]>}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %2 = "stablehlo.compare"(%arg3, %arg4) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f32>, tensor<f32>) -> tensor<i1> "stablehlo.return"(%2) : (tensor<i1>) -> () }, { ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %2 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%2) : (tensor<f32>) -> () }) {shardy.layouts = {x = "Shard(0), Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(1), Replicate -> Shard(1)", z = "Shard(2), Shard(2), Replicate -> Shard(2)"}, tutti.layouts = {x = "Replicate, Replicate, Replicate -> Replicate", y = "Replicate, Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<12x24x48xf32>, tensor<11x12x48xf32>, tensor<f32>) -> tensor<12x24x48xf32>
  return
}
