// Restated tests of Shardy: rules of sharding (README.md).

func.func @custom_call_compact_wy_helper(%arg0: tensor<128x128xf32>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "CompactWyHelper"}> {shardy.rule = "([i, j])->([i, j]) {i=128, j=128}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return
}

func.func @custom_call_inspect_sharding(%arg0: tensor<4x8xf32>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "InspectSharding"}> {shardy.rule = "([i, j])->([i, j]) {i=4, j=8}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @custom_call_x64_combine(%arg0: tensor<8x2xui32>, %arg1: tensor<8x2xui32>) {
  %0 = "stablehlo.custom_call"(%arg0, %arg1) <{call_target_name = "X64Combine"}> {shardy.rule = "([i, j], [i, j])->([i, j]) {i=8, j=2}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x2xui32>, tensor<8x2xui32>) -> tensor<8x2xui64>
  return
}

func.func @custom_call_x64_combine_used_by_rng_bit_generator(%arg0: tensor<2xui32>, %arg1: tensor<2xui32>) {
  %0 = "stablehlo.custom_call"(%arg0, %arg1) <{call_target_name = "X64Combine"}> {shardy.rule = "([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}"} : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  %output_state, %output = "stablehlo.rng_bit_generator"(%0) : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x1000xui32>)
  return
}

func.func @custom_call_x64_split_high(%arg0: tensor<8x2xui64>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "X64SplitHigh"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=2}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x2xui64>) -> tensor<8x2xui32>
  return
}

func.func @custom_call_x64_split_low(%arg0: tensor<8x2xui64>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "X64SplitLow"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=2}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x2xui64>) -> tensor<8x2xui32>
  return
}

func.func @custom_call_xla_megascale_provide_metadata(%arg0: tensor<8x2xbf16>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "xla.megascale.provide_metadata"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=2}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x2xbf16>) -> tensor<8x2xbf16>
  return
}

func.func @custom_call_move_to_device(%arg0: tensor<8x4xf32>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "MoveToDevice"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=4}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

func.func @custom_call_move_to_host(%arg0: tensor<8x4xf32>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "MoveToHost"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=4}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

func.func @custom_call_layout_constraint(%arg0: tensor<8x4xf32>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "LayoutConstraint"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=4}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

func.func @custom_call_eigh(%arg0: tensor<8x4x4xf32>) {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "Eigh"}> {shardy.rule = "([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8x4xf32>)
  return
}

func.func @custom_call_qr(%arg0: tensor<8x5x3xf32>) {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "Qr"}> {shardy.rule = "([i, j, k])->([i, j, k], [i, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x5x3xf32>) -> (tensor<8x5x3xf32>, tensor<8x3xf32>)
  return
}

func.func @custom_call_qr_decomposition_block(%arg0: tensor<8x5x3xf32>) {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "QrDecompositionBlock"}> {shardy.rule = "([i, j, k])->([i, j, k], [i, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x5x3xf32>) -> (tensor<8x5x3xf32>, tensor<8x3xf32>)
  return
}

func.func @custom_call_householder_product(%arg0: tensor<8x12x16xf32>, %arg1: tensor<8x5xf32>) {
  %0 = "stablehlo.custom_call"(%arg0, %arg1) <{call_target_name = "ProductOfElementaryHouseholderReflectors"}> {shardy.rule = "([i, j, k], [i, l])->([i, j, k]) {i=8, j=12, k=16, l=5} need_replication={j, k, l}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<8x12x16xf32>, tensor<8x5xf32>) -> tensor<8x12x16xf32>
  return
}

func.func @custom_call_erf(%arg0: tensor<8x4xf32>) {
  %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.erf"}> {shardy.rule = "([i, j])->([i, j]) {i=8, j=4}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

func.func @custom_call_topk_of_1d(%arg0: tensor<16xf32>) {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.rule = "([i])->([i], [i]) {i=16} need_replication={i} blocked_propagation={i}"} : (tensor<16xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

func.func @custom_call_topk_of_2d(%arg0: tensor<16x8xf32>) {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.rule = "([i, j])->([i, j], [i, j]) {i=16, j=8} need_replication={j} blocked_propagation={j}"} : (tensor<16x8xf32>) -> (tensor<16x1xf32>, tensor<16x1xi32>)
  return
}

func.func @custom_call_top2_of_2d(%arg0: tensor<16x8xf32>) {
  %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {shardy.rule = "([i, j])->([i, j], [i, j]) {i=16, j=8} need_replication={j} blocked_propagation={j}"} : (tensor<16x8xf32>) -> (tensor<16x2xf32>, tensor<16x2xi32>)
  return
}

func.func @custom_call_approx_topk(%arg0: tensor<16x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
  %0:2 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3) <{call_target_name = "ApproxTopK"}> {shardy.rule = "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=16, j=4, k=2} need_replication={k} blocked_propagation={k}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<i32>) -> (tensor<16x2xf32>, tensor<16x2xf32>)
  return
}

func.func @custom_call_partial_reduce(%arg0: tensor<16x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
  %0:2 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3) <{call_target_name = "PartialReduce"}> {shardy.rule = "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=16, j=4, k=2} need_replication={k} blocked_propagation={k}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<i32>) -> (tensor<16x2xf32>, tensor<16x2xf32>)
  return
}

func.func @custom_call_partial_reduce_string_backend_config(%arg0: tensor<16x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
  %0:2 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3) <{call_target_name = "PartialReduce"}> {shardy.rule = "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=16, j=4, k=2} need_replication={k} blocked_propagation={k}", tutti.rule = "none", tutti.because = "a target of XLA that no specification describes; here what it calls is not known, and the program is refused"} : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<i32>) -> (tensor<16x2xf32>, tensor<16x2xf32>)
  return
}
