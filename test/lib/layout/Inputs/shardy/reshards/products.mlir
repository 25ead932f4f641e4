// Restated tests of Shardy: layouts before and after an operation (README.md).

func.func @dot_compatible_contracting_unsharded(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_compatible_contracting_dim_sharded(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_contracting_dim_and_result_dim_sharded_same_axis(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_contracting_dim_and_result_dim_sharded_same_axis_2(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_contracting_dim_and_result_dim_sharded_same_axis_incompatible_order(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_lhs_contracting_and_rhs_non_contracting_dims(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_compatible_jk(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_compatible_k(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_compatible_contracting_dim_empty(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_same_non_contracting_dims_out_empty(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_a_times_a(%arg0: tensor<16x16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg0) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return
}

func.func @dot_incompatible_all_same_shardings(%arg0: tensor<4x4096xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<4096x4096xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<4x4096xf32>, tensor<4096x4096xf32>) -> tensor<4x4096xf32>
  return
}

func.func @dot_incompatible_same_non_contracting_dims_out_i(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_same_non_contracting_dims_out_j(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_out_empty(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_same_factor_for_contracting_dim_and_output_i(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_same_factor_for_contracting_dim_and_output_j(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_i_mismatch(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_in_out_mismatch_same_axis_on_different_factors_lhs_non_contracting_dim_is_sharded_large_lhs(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_in_out_mismatch_same_axis_on_different_factors_rhs_non_contracting_dim_is_sharded(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_in_out_mismatch_i_j_swapped_j_is_larger(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_in_out_mismatch_i_j_swapped_i_is_larger(%arg0: tensor<16x32xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<32x8xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}} : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  return
}

func.func @dot_incompatible_in_out_mismatch_i_j_swapped_large_k(%arg0: tensor<8x1024xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<1024x16xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Replicate, Shard(1) -> Shard(1)"}} : (tensor<8x1024xf32>, tensor<1024x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_all_factors_mismatch(%arg0: tensor<8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(1), Shard(0) -> Partial(sum)", y = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_incompatible_all_factors_mismatch_small_k(%arg0: tensor<8x4xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<4x16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_with_sharding_rule(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)", y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_result_size_is_equal_to_the_sum_of_operand_sizes(%arg0: tensor<4x2xf32> {shardy.x = "Shard(1)"}, %arg1: tensor<2x4xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {x = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return
}

func.func @dot_general_contracting_dim_sharded_multiple_axes(%arg0: tensor<4x8x32xf32> {shardy.x = "Shard(2)", shardy.y = "Shard(0)", shardy.z = "Shard(2) of 4"}, %arg1: tensor<4x32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)", shardy.z = "Shard(1) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> {shardy.layouts = {x = "Shard(2), Shard(1) -> Partial(sum)", y = "Shard(0), Shard(0) -> Shard(0)", z = "Shard(2) of 4, Shard(1) of 4 -> Partial(sum)"}} : (tensor<4x8x32xf32>, tensor<4x32x16xf32>) -> tensor<4x8x16xf32>
  return
}

func.func @dot_general_multiple_contracting_dims_sharded(%arg0: tensor<4x8x32xf32> {shardy.x = "Shard(2)", shardy.y = "Shard(1)", shardy.z = "Shard(2) of 4"}, %arg1: tensor<8x32x16xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)", shardy.z = "Shard(1) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1, 2], rhs_contracting_dimensions = [0, 1]>}> {shardy.layouts = {x = "Shard(2), Shard(1) -> Partial(sum)", y = "Shard(1), Shard(0) -> Partial(sum)", z = "Shard(2) of 4, Shard(1) of 4 -> Partial(sum)"}} : (tensor<4x8x32xf32>, tensor<8x32x16xf32>) -> tensor<4x16xf32>
  return
}

func.func @dot_general_multiple_contracting_dims_conflicts(%arg0: tensor<16x32x64xf32> {shardy.x = "Shard(0)", shardy.z = "Shard(1)", shardy.t = "Shard(2)"}, %arg1: tensor<32x64x128xf32> {shardy.x = "Shard(2)", shardy.y = "Shard(2) of 4", shardy.z = "Shard(0)", shardy.t = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 4 : i64, z = 4 : i64, t = 8 : i64}} {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1, 2], rhs_contracting_dimensions = [0, 1]>}> {shardy.layouts = {x = "Replicate, Shard(2) -> Shard(1)", y = "Replicate, Shard(2) of 4 -> Shard(1) of 4", z = "Shard(1), Shard(0) -> Partial(sum)", t = "Shard(2), Shard(1) -> Partial(sum)"}, tutti.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<16x32x64xf32>, tensor<32x64x128xf32>) -> tensor<16x128xf32>
  return
}

func.func @dot_general_incompatible_with_batching_dims(%arg0: tensor<4x8x32xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}, %arg1: tensor<4x32x16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> {shardy.layouts = {x = "Shard(0), Shard(0) -> Shard(0)", y = "Replicate, Shard(2) -> Shard(2)"}, tutti.layouts = {y = "Shard(1), Replicate -> Shard(1)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<4x8x32xf32>, tensor<4x32x16xf32>) -> tensor<4x8x16xf32>
  return
}

func.func @dot_only_contracting_dims_sharded_and_has_same_shardings(%arg0: tensor<8x32xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<32x16xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_ij_jk_ik_i_is_largest(%arg0: tensor<16x8xf32> {shardy.x = "Shard(1)"}, %arg1: tensor<8x8xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {x = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return
}

func.func @dot_ij_jk_ik_j_is_largest(%arg0: tensor<8x16xf32> {shardy.x = "Shard(1)"}, %arg1: tensor<16x8xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {x = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return
}

func.func @dot_ij_jk_ik_k_is_largest(%arg0: tensor<8x8xf32> {shardy.x = "Shard(1)"}, %arg1: tensor<8x16xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {x = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

func.func @dot_ij_jk_ik_same_ijk(%arg0: tensor<8x8xf32> {shardy.x = "Shard(1)"}, %arg1: tensor<8x8xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {x = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {x = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

func.func @dot_on_square_matrices_lhs_2nd_dim_rhs_2nd_dim_sharded_the_same_way(%arg0: tensor<8x8xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<8x8xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

func.func @dot_on_rectangular_inputs_square_output_small_contracting_dim_lhs_2nd_dim_rhs_2nd_dim_sharded_the_same_way(%arg0: tensor<8x2xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<2x8xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x2xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
  return
}

func.func @dot_on_rectangular_inputs_square_output_large_contracting_dim_lhs_2nd_dim_rhs_2nd_dim_sharded_the_same_way(%arg0: tensor<8x16xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<16x8xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Replicate, Shard(1) -> Shard(1)"}, tutti.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return
}

func.func @dot_on_rectangular_inputs_square_output_large_contracting_dim_lhs_2nd_dim_output_2nd_dim_sharded_the_same_way(%arg0: tensor<8x16xf32> {shardy.y = "Shard(1)"}, %arg1: tensor<16x8xf32>) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.dot"(%arg0, %arg1) {shardy.layouts = {y = "Shard(1), Shard(0) -> Partial(sum)"}} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return
}

func.func @dot_result_is_smaller_than_rhs_due_to_other_axes(%arg0: tensor<8x32x64xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(2)", shardy.z = "Shard(1)"}, %arg1: tensor<64x256xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64, z = 4 : i64}} {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)", y = "Shard(0) of 4, Replicate -> Shard(0) of 4", z = "Shard(1), Replicate -> Shard(1)"}, tutti.layouts = {y = "Shard(2), Shard(0) -> Partial(sum)"}, tutti.because = "operands are cut along different factors, and Shardy weighs their sizes and the result; here each axis is decided by itself, for the factor that most operands are cut along"} : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
  return
}

func.func @dot_general_sharded_contracting_dim_with_axes_redistribution(%arg0: tensor<64x1024x8192xf32> {shardy.x = "Shard(2)", shardy.y = "Shard(1)", shardy.z = "Shard(1) of 4"}, %arg1: tensor<256x8192xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 16 : i64, y = 4 : i64, z = 2 : i64}} {
  %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> {shardy.layouts = {x = "Shard(2), Shard(1) -> Partial(sum)", y = "Shard(1), Replicate -> Shard(1)", z = "Shard(1) of 4, Replicate -> Shard(1) of 4"}} : (tensor<64x1024x8192xf32>, tensor<256x8192xf32>) -> tensor<64x1024x256xf32>
  return
}

func.func @convolution(%arg0: tensor<2x224x224x192xf32> {shardy.x = "Shard(0)"}, %arg1: tensor<3x3x192x64xf32>) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.convolution"(%arg0, %arg1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}> {shardy.layouts = {x = "Shard(0), Replicate -> Shard(0)"}, tutti.layouts = {x = "Replicate, Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<2x224x224x192xf32>, tensor<3x3x192x64xf32>) -> tensor<2x112x112x64xf32>
  return
}
