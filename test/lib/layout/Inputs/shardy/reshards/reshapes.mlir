// Restated tests of Shardy: layouts before and after an operation (README.md).

func.func @reshape_simple_merge_sharding_is_from_x_to_y_and_x_fits_exactly_to_first_dim(%arg0: tensor<4x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

func.func @reshape_simple_merge_sharding_is_from_xy_to_x_and_x_fits_exactly_to_first_dim(%arg0: tensor<4x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(1) -> Shard(0) of 4"}} : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

func.func @reshape_simple_merge_sharding_is_from_yx_to_yx_and_y_underfits_to_first_dim(%arg0: tensor<4x8xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(1) -> Shard(0) of 2", y = "Shard(0) -> Shard(0)"}, tutti.layouts = {x = "Shard(1) -> Shard(0) of 4"}, tutti.because = "a piece of each of several ranges, which is a layout here; Shardy has none for it"} : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

func.func @reshape_simple_merge_sharding_is_from_yx_to_y_and_y_underfits_to_first_dim(%arg0: tensor<4x8xf32> {shardy.x = "Shard(1)", shardy.y = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(1) -> Replicate", y = "Shard(0) -> Shard(0)"}, tutti.layouts = {x = "Shard(1) -> Shard(0) of 4"}, tutti.because = "a piece of each of several ranges, which is a layout here; Shardy has none for it"} : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

func.func @reshape_simple_merge_sharding_is_from_only_second_dim_is_sharded(%arg0: tensor<4x8xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(1) -> Replicate"}, tutti.layouts = {x = "Shard(1) -> Shard(0) of 4"}, tutti.because = "a piece of each of several ranges, which is a layout here; Shardy has none for it"} : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

func.func @reshape_simple_merge_sharding_is_from_only_second_dim_is_sharded_and_result_is_sharded(%arg0: tensor<4x8xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(1) -> Shard(0)"}, tutti.layouts = {x = "Shard(1) -> Shard(0) of 4"}, tutti.because = "a piece of each of several ranges, which is a layout here; Shardy has none for it"} : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

func.func @reshape_strided_view_on_both_operand_and_result(%arg0: tensor<2x2x4xf32> {shardy.y = "Shard(1)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {y = "Shard(1) -> Replicate"}, tutti.layouts = {y = "Shard(1) -> Shard(0) of 2"}, tutti.because = "a piece of each of several ranges, which is a layout here; Shardy has none for it"} : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_x_to_x_merged_dimensions_are_sharded(%arg0: tensor<8x8xf32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(1) -> Shard(0)"}, tutti.layouts = {x = "Shard(1) -> Shard(1) of 2"}, tutti.because = "a piece of each of several ranges, which is a layout here; Shardy has none for it"} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_x_to_x_singleton_dimensions_are_sharded(%arg0: tensor<8x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_xy_to_xy(%arg0: tensor<8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(0) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(1)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_xy_to_yx(%arg0: tensor<8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(0) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(1)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_xy_to_x(%arg0: tensor<8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(0) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(1)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_xy_to_y(%arg0: tensor<8x8xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(0) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(1)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_x_to_xy(%arg0: tensor<8x8xf32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_y_to_xy(%arg0: tensor<8x8xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {y = "Shard(0) -> Shard(0)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_ij_k_to_i_jk_and_y_to_yx(%arg0: tensor<8x8xf32> {shardy.y = "Shard(0)"}) attributes {shardy.axes = {y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {y = "Shard(0) -> Shard(0)"}} : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

func.func @reshape_size_1_dimensions_1(%arg0: tensor<1x4xi32> {shardy.x = "Shard(1)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(1) -> Shard(0)"}} : (tensor<1x4xi32>) -> tensor<4x1xi32>
  return
}

func.func @reshape_size_1_dimensions_2(%arg0: tensor<1x4xi32> {shardy.x = "Shard(0)"}) attributes {shardy.axes = {x = 4 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Replicate"}, tutti.layouts = {x = "Replicate -> Replicate"}, tutti.because = "ranks do not divide this dimension, which Shardy fills up; here it is gathered"} : (tensor<1x4xi32>) -> tensor<4x1xi32>
  return
}

func.func @reshape_no_overflow_axes(%arg0: tensor<16xf32> {shardy.x = "Shard(0)", shardy.y = "Shard(0) of 4"}) attributes {shardy.axes = {x = 4 : i64, y = 2 : i64}} {
  %0 = "stablehlo.reshape"(%arg0) {shardy.layouts = {x = "Shard(0) -> Shard(0)", y = "Shard(0) of 4 -> Shard(1)"}} : (tensor<16xf32>) -> tensor<4x4xf32>
  return
}
