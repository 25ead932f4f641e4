// What makes, cuts, joins and looks up tensors.
// One operation of each kind on small tensors, whose sizes 2 and 3 divide: what rules of sharding are tested on. The last
// operation of a function is meant; `test.low` and `test.high` bound what its operands hold. A size `?` is 6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!m = tensor<6x12xf32>
!c = tensor<6x12x18xf32>

func.func @constant() -> !m {
  %r = onnx.Constant dense<1.0> : !m
  return %r : !m
}

func.func @random_normal() -> !m {
  %r = onnx.RandomNormal {shape = array<i64: 6, 12>} : !m
  return %r : !m
}

func.func @random_uniform() -> !m {
  %r = onnx.RandomUniform {shape = array<i64: 6, 12>} : !m
  return %r : !m
}

func.func @random_normal_like(%0: !m) -> !m {
  %r = onnx.RandomNormalLike %0 {mean = 2.0 : f32, scale = 0.0 : f32} : (!m) -> !m
  return %r : !m
}

func.func @random_uniform_like(%0: !m) -> !m {
  %r = onnx.RandomUniformLike %0 {low = 3.0 : f32, high = 3.0 : f32} : (!m) -> !m
  return %r : !m
}

func.func @flatten(%0: !c) -> tensor<72x18xf32> {
  %r = onnx.Flatten %0 {axis = 2 : i64} : (!c) -> tensor<72x18xf32>
  return %r : tensor<72x18xf32>
}

func.func @reshape(%0: !m) -> tensor<6x6x2xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: 0, 6, -1>} : (!m) -> tensor<6x6x2xf32>
  return %r : tensor<6x6x2xf32>
}

func.func @reshape_across(%0: tensor<6x4xf32>) -> tensor<12x2xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: 12, 2>} : (tensor<6x4xf32>) -> tensor<12x2xf32>
  return %r : tensor<12x2xf32>
}

func.func @reshape_apart(%0: tensor<6x2x3xf32>) -> tensor<6x3x2xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: 6, 3, 2>} : (tensor<6x2x3xf32>) -> tensor<6x3x2xf32>
  return %r : tensor<6x3x2xf32>
}

func.func @reshape_heads(%0: tensor<6x12x36xf32>) -> tensor<72x6x6xf32> {
  %r = onnx.Reshape %0 {shape = array<i64: -1, 6, 6>} : (tensor<6x12x36xf32>) -> tensor<72x6x6xf32>
  return %r : tensor<72x6x6xf32>
}

func.func @transpose(%0: !c) -> tensor<18x6x12xf32> {
  %r = onnx.Transpose %0 {perm = array<i64: 2, 0, 1>} : (!c) -> tensor<18x6x12xf32>
  return %r : tensor<18x6x12xf32>
}

func.func @squeeze(%0: tensor<6x1x12xf32>) -> !m {
  %r = onnx.Squeeze %0 {axes = array<i64: 1>} : (tensor<6x1x12xf32>) -> !m
  return %r : !m
}

func.func @unsqueeze(%0: !m) -> tensor<6x1x12xf32> {
  %r = onnx.Unsqueeze %0 {axes = array<i64: 1>} : (!m) -> tensor<6x1x12xf32>
  return %r : tensor<6x1x12xf32>
}

func.func @expand(%0: tensor<6x1xf32>) -> tensor<18x6x12xf32> {
  %r = onnx.Expand %0 {shape = array<i64: 18, 6, 12>} : (tensor<6x1xf32>) -> tensor<18x6x12xf32>
  return %r : tensor<18x6x12xf32>
}

func.func @expand_square(%0: tensor<1x1xf32>, %1: tensor<6x3xf32>) -> tensor<6x6xf32> {
  %r = onnx.Expand %0 like %1 {shape = array<i64: -1, -1>} : (tensor<1x1xf32>, tensor<6x3xf32>) -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

func.func @expand_like(%0: tensor<1x12xf32>, %1: tensor<6x3xf32>) -> !m {
  %r = onnx.Expand %0 like %1 {shape = array<i64: -1, 12>} : (tensor<1x12xf32>, tensor<6x3xf32>) -> !m
  return %r : !m
}

func.func @gather(%0: tensor<6x12x18xf32>, %1: tensor<6x3xi64> {test.high = 12.0}) -> tensor<6x6x3x18xf32> {
  %r = onnx.Gather %0, %1 {axis = 1 : i64} : (tensor<6x12x18xf32>, tensor<6x3xi64>) -> tensor<6x6x3x18xf32>
  return %r : tensor<6x6x3x18xf32>
}

func.func @gather_rows(%0: tensor<12x18xf32>, %1: tensor<6xi64> {test.high = 12.0}) -> tensor<6x18xf32> {
  %r = onnx.Gather %0, %1 : (tensor<12x18xf32>, tensor<6xi64>) -> tensor<6x18xf32>
  return %r : tensor<6x18xf32>
}

func.func @concat(%0: !m, %1: !m) -> tensor<6x24xf32> {
  %r = onnx.Concat %0, %1 {axis = 1 : i64} : (!m, !m) -> tensor<6x24xf32>
  return %r : tensor<6x24xf32>
}

func.func @concat_one(%0: !m) -> !m {
  %r = onnx.Concat %0 {axis = 1 : i64} : (!m) -> !m
  return %r : !m
}

func.func @split(%0: !m) -> (tensor<6x4xf32>, tensor<6x8xf32>) {
  %r0, %r1 = onnx.Split %0 {axis = 1 : i64, split = array<i64: 4, 8>} : (!m) -> (tensor<6x4xf32>, tensor<6x8xf32>)
  return %r0, %r1 : tensor<6x4xf32>, tensor<6x8xf32>
}

func.func @split_one(%0: !m) -> !m {
  %r = onnx.Split %0 {axis = 1 : i64, split = array<i64: 12>} : (!m) -> !m
  return %r : !m
}

func.func @slice(%0: !c) -> tensor<6x6x18xf32> {
  %r = onnx.Slice %0 {axes = array<i64: 1, 2>, starts = array<i64: 0, 0>, ends = array<i64: 6, 9223372036854775807>} : (!c) -> tensor<6x6x18xf32>
  return %r : tensor<6x6x18xf32>
}

func.func @slice_one(%0: !m) -> tensor<6x1xf32> {
  %r = onnx.Slice %0 {axes = array<i64: 1>, starts = array<i64: -1>, ends = array<i64: 9223372036854775807>} : (!m) -> tensor<6x1xf32>
  return %r : tensor<6x1xf32>
}

func.func @slice_backwards(%0: !m) -> !m {
  %r = onnx.Slice %0 {axes = array<i64: 1>, starts = array<i64: -1>, ends = array<i64: -9223372036854775807>, steps = array<i64: -1>} : (!m) -> !m
  return %r : !m
}

func.func @slice_grad(%0: tensor<6x6xf32>, %1: !m) -> !m {
  %r = onnx.SliceGrad %0, %1 {axes = array<i64: 1>, starts = array<i64: 2>, ends = array<i64: 8>} : (tensor<6x6xf32>, !m) -> !m
  return %r : !m
}

func.func @pad(%0: !m) -> tensor<6x15xf32> {
  %r = onnx.Pad %0 {pads = array<i64: 0, 1, 0, 2>} : (!m) -> tensor<6x15xf32>
  return %r : tensor<6x15xf32>
}

func.func @pad_with_ones(%0: !m) -> tensor<6x15xf32> {
  %r = onnx.Pad %0 {pads = array<i64: 0, 1, 0, 2>, value = 1.0 : f64} : (!m) -> tensor<6x15xf32>
  return %r : tensor<6x15xf32>
}

func.func @trilu(%0: !c) -> !c {
  %r = onnx.Trilu %0 {k = 1 : i64} : (!c) -> !c
  return %r : !c
}

func.func @gather_elements(%0: !c, %1: tensor<6x6x18xi64> {test.high = 12.0}) -> tensor<6x6x18xf32> {
  %r = onnx.GatherElements %0, %1 {axis = 1 : i64} : (!c, tensor<6x6x18xi64>) -> tensor<6x6x18xf32>
  return %r : tensor<6x6x18xf32>
}

func.func @gather_elements_of_fewer(%0: !m, %1: tensor<3x6xi64> {test.high = 12.0}) -> tensor<3x6xf32> {
  %r = onnx.GatherElements %0, %1 {axis = 1 : i64} : (!m, tensor<3x6xi64>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

func.func @scatter_elements(%0: !m, %1: tensor<6x1xi64> {test.high = 12.0}, %2: tensor<6x1xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64} : (!m, tensor<6x1xi64>, tensor<6x1xf32>) -> !m
  return %r : !m
}

func.func @scatter_elements_added(%0: !m, %1: tensor<6x6xi64> {test.high = 12.0}, %2: tensor<6x6xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64, reduction = "add"} : (!m, tensor<6x6xi64>, tensor<6x6xf32>) -> !m
  return %r : !m
}

func.func @scatter_elements_multiplied(%0: !m, %1: tensor<6x1xi64> {test.high = 12.0}, %2: tensor<6x1xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64, reduction = "mul"} : (!m, tensor<6x1xi64>, tensor<6x1xf32>) -> !m
  return %r : !m
}

func.func @scatter_elements_largest(%0: !m, %1: tensor<6x6xi64> {test.high = 12.0}, %2: tensor<6x6xf32>) -> !m {
  %r = onnx.ScatterElements %0, %1, %2 {axis = 1 : i64, reduction = "max"} : (!m, tensor<6x6xi64>, tensor<6x6xf32>) -> !m
  return %r : !m
}

func.func @scatter_nd_smallest(%0: tensor<6x8x12xf32>, %1: tensor<6x18x1xi64> {test.high = 8.0}, %2: tensor<6x18x12xf32>) -> tensor<6x8x12xf32> {
  %r = onnx.ScatterND %0, %1, %2 {batch_dims = 1 : i64, reduction = "min"} : (tensor<6x8x12xf32>, tensor<6x18x1xi64>, tensor<6x18x12xf32>) -> tensor<6x8x12xf32>
  return %r : tensor<6x8x12xf32>
}

func.func @top_k(%0: tensor<6x6x12xf32>) -> (tensor<6x3x12xf32>, tensor<6x3x12xi64>) {
  %r0, %r1 = onnx.TopK %0 {axis = 1 : i64, k = 3 : i64} : (tensor<6x6x12xf32>) -> (tensor<6x3x12xf32>, tensor<6x3x12xi64>)
  return %r0, %r1 : tensor<6x3x12xf32>, tensor<6x3x12xi64>
}

func.func @top_k_of_all(%0: tensor<6x4x6xf32>) -> (tensor<6x4x6xf32>, tensor<6x4x6xi64>) {
  %r0, %r1 = onnx.TopK %0 {axis = 1 : i64, k = -1 : i64} : (tensor<6x4x6xf32>) -> (tensor<6x4x6xf32>, tensor<6x4x6xi64>)
  return %r0, %r1 : tensor<6x4x6xf32>, tensor<6x4x6xi64>
}

func.func @gather_nd(%0: tensor<6x4x5x12xf32>, %1: tensor<6x18x2xi64> {test.high = 4.0}) -> tensor<6x18x12xf32> {
  %r = onnx.GatherND %0, %1 {batch_dims = 1 : i64} : (tensor<6x4x5x12xf32>, tensor<6x18x2xi64>) -> tensor<6x18x12xf32>
  return %r : tensor<6x18x12xf32>
}

func.func @scatter_nd(%0: tensor<8x12xf32>, %1: tensor<3x1xi64> {test.high = 8.0}, %2: tensor<3x12xf32>) -> tensor<8x12xf32> {
  %r = onnx.ScatterND %0, %1, %2 : (tensor<8x12xf32>, tensor<3x1xi64>, tensor<3x12xf32>) -> tensor<8x12xf32>
  return %r : tensor<8x12xf32>
}

func.func @scatter_nd_added(%0: tensor<6x8x12xf32>, %1: tensor<6x18x1xi64> {test.high = 8.0}, %2: tensor<6x18x12xf32>) -> tensor<6x8x12xf32> {
  %r = onnx.ScatterND %0, %1, %2 {batch_dims = 1 : i64, reduction = "add"} : (tensor<6x8x12xf32>, tensor<6x18x1xi64>, tensor<6x18x12xf32>) -> tensor<6x8x12xf32>
  return %r : tensor<6x8x12xf32>
}
