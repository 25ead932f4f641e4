// Restated tests of Shardy: rules of sharding (README.md).

func.func @dynamic_slice(%arg0: tensor<32x4x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2, %arg3) <{slice_sizes = array<i64: 32, 1, 2>}> {shardy.rule = "([i, j, k], [], [], [])->([i, j, k]) {i=32, j=4, k=8} need_replication={j, k} blocked_propagation={j, k}"} : (tensor<32x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x1x2xf32>
  return
}

func.func @dynamic_update_slice(%arg0: tensor<32x4x8xf32>, %arg1: tensor<32x1x2xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>) {
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3, %arg4) {shardy.rule = "([i, j, l], [i, k, m], [], [], [])->([i, j, l]) {i=32, j=4, k=1, l=8, m=2} need_replication={k, m}", tutti.rule = "d0 d1^ d2^, d0 1 d3^, (), (), () -> d0 d4^ d5^", tutti.because = "an update may lie in another part, which Shardy masks; here such a dimension is gathered"} : (tensor<32x4x8xf32>, tensor<32x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x8xf32>
  return
}

func.func @dynamic_update_slice_constant_indices(%arg0: tensor<32x4x8xf32>, %arg1: tensor<32x1x2xf32>) {
  %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %2 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %0, %0, %1) {shardy.rule = "([i, j, l], [i, k, m], [], [], [])->([i, j, l]) {i=32, j=4, k=1, l=8, m=2}", tutti.rule = "d0 d1^ d2^, d0 1 d3^, (), (), () -> d0 d4^ d5^", tutti.because = "an update may lie in another part, which Shardy masks; here such a dimension is gathered"} : (tensor<32x4x8xf32>, tensor<32x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x8xf32>
  return
}

func.func @gather(%arg0: tensor<3x4x2x5xf32>, %arg1: tensor<2x3x3xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather< offset_dims = [2, 3, 4], collapsed_slice_dims = [0], start_index_map = [1, 0, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 2, 1>, indices_are_sorted = false}> {shardy.rule = "([o, k, l, m], [i, j, p])->([i, j, k, l, n]) {i=2, j=3, k=4, l=2, m=5, n=1, o=3, p=3} reduction={m, o} need_replication={k, n, p} blocked_propagation={k}", tutti.rule = "d3^ d4^ d2 d5^, d0 d1 d6^ -> d0 d1 d7^ d2 1", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<3x4x2x5xf32>, tensor<2x3x3xi64>) -> tensor<2x3x2x2x1xf32>
  return
}

func.func @gather_implicit_index_vector_dim_and_size_one_collapsed_slice_dim(%arg0: tensor<3x1x2xf32>, %arg1: tensor<2x3x2xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather< offset_dims = [3], collapsed_slice_dims = [0, 1], start_index_map = [1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2>, indices_are_sorted = false}> {shardy.rule = "([m, n, l], [i, j, k])->([i, j, k, l]) {i=2, j=3, k=2, l=2, m=3, n=1} reduction={m} need_replication={n}", tutti.rule = "d4^ 1 d3, d0 d1 d2 -> d0 d1 d2 d3", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<3x1x2xf32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32>
  return
}

func.func @gather_batching_dims(%arg0: tensor<5x3x7x4xf32>, %arg1: tensor<7x5x3x2xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather< offset_dims = [3], collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [1, 0], start_index_map = [1, 3], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1, 2>, indices_are_sorted = false}> {shardy.rule = "([j, m, i, l], [i, j, k, n])->([i, j, k, l]) {i=7, j=5, k=3, l=4, m=3, n=2} reduction={m} need_replication={l, n} blocked_propagation={l}", tutti.rule = "d1 d3^ d0 d4^, d0 d1 d2 d5^ -> d0 d1 d2 d6^", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<5x3x7x4xf32>, tensor<7x5x3x2xi64>) -> tensor<7x5x3x2xf32>
  return
}

func.func @gather_index_vector_dim_before_batching_dim(%arg0: tensor<5x3x7x4xf32>, %arg1: tensor<7x2x5x3xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather< offset_dims = [3], collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [2, 0], start_index_map = [1, 3], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1, 2>, indices_are_sorted = false}> {shardy.rule = "([j, m, i, l], [i, n, j, k])->([i, j, k, l]) {i=7, j=5, k=3, l=4, m=3, n=2} reduction={m} need_replication={l, n} blocked_propagation={l}", tutti.rule = "d1 d3^ d0 d4^, d0 d5^ d1 d2 -> d0 d1 d2 d6^", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<5x3x7x4xf32>, tensor<7x2x5x3xi64>) -> tensor<7x5x3x2xf32>
  return
}

func.func @scatter_single_input(%arg0: tensor<3x4x2xf32>, %arg1: tensor<2x3x2xi64>, %arg2: tensor<2x3x2x2xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter< update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1) : (tensor<f32>) -> () }) {shardy.rule = "([n, k, m], [i, j, o], [i, j, l, m])->([n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} reduction={i, j} need_replication={k, l, o}", tutti.rule = "d3^ d4^ d2, d0+ d1+ d5^, d0 d1 d6^ d2 -> d7^ d8^ d2", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<2x3x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

func.func @scatter_single_input_with_implicit_index_vector_dim(%arg0: tensor<3x4x2xf32>, %arg1: tensor<2x3xi64>, %arg2: tensor<2x3x2x2xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter< update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1) : (tensor<f32>) -> () }) {shardy.rule = "([n, k, m], [i, j], [i, j, l, m])->([n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3} reduction={i, j} need_replication={k, l}", tutti.rule = "d3^ d4^ d2, d0+ d1+, d0 d1 d5^ d2 -> d6^ d7^ d2", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<3x4x2xf32>, tensor<2x3xi64>, tensor<2x3x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

func.func @scatter_inserted_window_dim_is_last_one(%arg0: tensor<4x2x3xf32>, %arg1: tensor<2x3x2xi64>, %arg2: tensor<2x3x2x2xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter< update_window_dims = [2, 3], inserted_window_dims = [2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1) : (tensor<f32>) -> () }) {shardy.rule = "([k, m, n], [i, j, o], [i, j, l, m])->([k, m, n]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} reduction={i, j} need_replication={k, l, o}", tutti.rule = "d3^ d2 d4^, d0+ d1+ d5^, d0 d1 d6^ d2 -> d7^ d2 d8^", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<4x2x3xf32>, tensor<2x3x2xi64>, tensor<2x3x2x2xf32>) -> tensor<4x2x3xf32>
  return
}

func.func @scatter_batching_dims(%arg0: tensor<5x3x7x4xf32>, %arg1: tensor<7x5x3x2xi64>, %arg2: tensor<7x5x3x2xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter< update_window_dims = [3], inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [1, 3], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1) : (tensor<f32>) -> () }) {shardy.rule = "([j, n, i, l], [i, j, k, o], [i, j, k, m])->([j, n, i, l]) {i=7, j=5, k=3, l=4, m=2, n=3, o=2} reduction={k} need_replication={l, m, o}", tutti.rule = "d1 d3^ d0 d4^, d0 d1 d2+ d5^, d0 d1 d2 d6^ -> d1 d7^ d0 d8^", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<5x3x7x4xf32>, tensor<7x5x3x2xi64>, tensor<7x5x3x2xf32>) -> tensor<5x3x7x4xf32>
  return
}

func.func @scatter_multiple_input(%arg0: tensor<3x4x2xi32>, %arg1: tensor<3x4x2xf32>, %arg2: tensor<2x3x2xi64>, %arg3: tensor<2x3x2x2xi32>, %arg4: tensor<2x3x2x2xf32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter< update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%arg5: tensor<i32>, %arg6: tensor<f32>, %arg7: tensor<i32>, %arg8: tensor<f32>): %1 = "stablehlo.add"(%arg5, %arg7) : (tensor<i32>, tensor<i32>) -> tensor<i32> %2 = "stablehlo.add"(%arg6, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1, %2) : (tensor<i32>, tensor<f32>) -> () }) {shardy.rule = "([n, k, m], [n, k, m], [i, j, o], [i, j, l, m], [i, j, l, m])->([n, k, m], [n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} reduction={i, j} need_replication={k, l, o}", tutti.rule = "d3^ d4^ d2, d5^ d6^ d2, d0+ d1+ d7^, d0 d1 d8^ d2, d0 d1 d9^ d2 -> d10^ d11^ d2, d12^ d13^ d2", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<3x4x2xi32>, tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<2x3x2x2xi32>, tensor<2x3x2x2xf32>) -> (tensor<3x4x2xi32>, tensor<3x4x2xf32>)
  return
}

func.func @scatter_unsupported_multi_reduction_op(%arg0: tensor<3x4x2xi32>, %arg1: tensor<3x4x2xf32>, %arg2: tensor<2x3x2xi64>, %arg3: tensor<2x3x2x2xi32>, %arg4: tensor<2x3x2x2xf32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter< update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%arg5: tensor<i32>, %arg6: tensor<f32>, %arg7: tensor<i32>, %arg8: tensor<f32>): %1 = "stablehlo.add"(%arg5, %arg7) : (tensor<i32>, tensor<i32>) -> tensor<i32> %2 = "stablehlo.multiply"(%arg6, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%1, %2) : (tensor<i32>, tensor<f32>) -> () }) {shardy.rule = "([n, k, m], [n, k, m], [i, j, o], [i, j, l, m], [i, j, l, m])->([n, k, m], [n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} need_replication={i, j, k, l, o}", tutti.rule = "d3^ d4^ d2, d5^ d6^ d2, d0^ d1^ d7^, d0 d1 d8^ d2, d0 d1 d9^ d2 -> d10^ d11^ d2, d12^ d13^ d2", tutti.because = "an index may point outside of a part, which Shardy masks; here a dimension that indices are of is gathered"} : (tensor<3x4x2xi32>, tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<2x3x2x2xi32>, tensor<2x3x2x2xf32>) -> (tensor<3x4x2xi32>, tensor<3x4x2xf32>)
  return
}

func.func @select_and_scatter(%arg0: tensor<10x24x24x64xf32>, %arg1: tensor<9x12x12x64xf32>, %arg2: tensor<f32>) {
  %1 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>, padding = dense<[[-1, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_strides = array<i64: 1, 2, 2, 1>}> ({ ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %2 = "stablehlo.compare"(%arg3, %arg4) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f32>, tensor<f32>) -> tensor<i1> "stablehlo.return"(%2) : (tensor<i1>) -> () }, { ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>): %2 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%2) : (tensor<f32>) -> () }) {shardy.rule = "([j, l, n, o], [i, k, m, o], [])->([j, l, n, o]) {i=9, j=10, k=12, l=24, m=12, n=24, o=64} need_replication={i, k, m} permutation={j, l, n}", tutti.rule = "d1^ d2^ d3^ d0, d4^ d5^ d6^ d0, () -> d7^ d8^ d9^ d0", tutti.because = "elements move between parts, which Shardy exchanges (permutation); here such a dimension is gathered"} : (tensor<10x24x24x64xf32>, tensor<9x12x12x64xf32>, tensor<f32>) -> tensor<10x24x24x64xf32>
  return
}

func.func @sort(%arg0: tensor<4x32x8xi32>, %arg1: tensor<4x32x8xf32>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({ ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>): %1 = "stablehlo.compare"(%arg2, %arg3) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<i32>, tensor<i32>) -> tensor<i1> "stablehlo.return"(%1) : (tensor<i1>) -> () }) {shardy.rule = "([i, j, k], [i, j, k])->([i, j, k], [i, j, k]) {i=4, j=32, k=8} need_replication={i}"} : (tensor<4x32x8xi32>, tensor<4x32x8xf32>) -> (tensor<4x32x8xi32>, tensor<4x32x8xf32>)
  return
}

func.func @sort_all_other_dims_size_one(%arg0: tensor<1x4x1xi32>) {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({ ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>): %1 = "stablehlo.compare"(%arg2, %arg3) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<i32>, tensor<i32>) -> tensor<i1> "stablehlo.return"(%1) : (tensor<i1>) -> () }) {shardy.rule = "([i, j, k])->([i, j, k]) {i=1, j=4, k=1} need_replication={j} blocked_propagation={j}"} : (tensor<1x4x1xi32>) -> tensor<1x4x1xi32>
  return
}
