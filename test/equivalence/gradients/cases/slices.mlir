// Slices, margins, triangles, repetitions, running sums. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @slice_of_a_batch(%x: tensor<?x5x3xf32>) -> tensor<?x2x3xf32> {
  %0 = onnx.Slice %x {axes = array<i64: 1>, ends = array<i64: -1>, starts = array<i64: 2>} : (tensor<?x5x3xf32>) -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

func.func @slice_of_two_axes_with_steps(%x: tensor<6x7xf32>) -> tensor<3x2xf32> {
  %0 = onnx.Slice %x {axes = array<i64: 1, 0>, ends = array<i64: 7, 9223372036854775807>, starts = array<i64: 1, -6>, steps = array<i64: 3, 2>} : (tensor<6x7xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @slice_backwards(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Slice %x {axes = array<i64: 1>, ends = array<i64: -9223372036854775807>, starts = array<i64: -1>, steps = array<i64: -2>} : (tensor<2x5xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @slice_of_a_slice_backwards(%x: tensor<7x2xf32>) -> tensor<2x2xf32> {
  %1 = onnx.Slice %x {axes = array<i64: 0>, ends = array<i64: 1>, starts = array<i64: 6>, steps = array<i64: -1>} : (tensor<7x2xf32>) -> tensor<5x2xf32>
  %0 = onnx.Slice %1 {axes = array<i64: 0>, ends = array<i64: 5>, starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<5x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

func.func @slice_grad(%dy: tensor<2x2xf32>, %x: tensor<2x5xf32> {test.constant}) -> tensor<2x5xf32> {
  %0 = onnx.SliceGrad %dy, %x {axes = array<i64: 1>, ends = array<i64: 5>, starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @expand(%x: tensor<2x1x3xf32>) -> tensor<4x2x5x3xf32> {
  %0 = onnx.Expand %x {shape = array<i64: 4, 1, 5, 1>} : (tensor<2x1x3xf32>) -> tensor<4x2x5x3xf32>
  return %0 : tensor<4x2x5x3xf32>
}

func.func @expand_of_a_batch(%x: tensor<?x1x3xf32>) -> tensor<?x2x3xf32> {
  %0 = onnx.Expand %x {shape = array<i64: -1, 2, 3>} : (tensor<?x1x3xf32>) -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

func.func @expand_to_a_batch(%x: tensor<1x1x3xf32>, %b: tensor<?x2xf32> {test.constant}) -> tensor<?x2x3xf32> {
  %0 = onnx.Expand %x like %b {shape = array<i64: -1, 2, 1>} : (tensor<1x1x3xf32>, tensor<?x2xf32>) -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

func.func @pad(%x: tensor<?x2x3xf32>) -> tensor<?x5x4xf32> {
  %0 = onnx.Pad %x {pads = array<i64: 0, 1, 0, 0, 2, 1>, value = 7.0 : f64} : (tensor<?x2x3xf32>) -> tensor<?x5x4xf32>
  return %0 : tensor<?x5x4xf32>
}

func.func @pad_that_crops(%x: tensor<4x5xf32>) -> tensor<4x4xf32> {
  %0 = onnx.Pad %x {pads = array<i64: -1, 2, 1, -3>} : (tensor<4x5xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @trilu_lower(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  %0 = onnx.Trilu %x {k = 1 : i64, upper = 0 : i64} : (tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

func.func @trilu_upper(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  %0 = onnx.Trilu %x {k = -1 : i64, upper = 1 : i64} : (tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

func.func @cumsum_00(%x: tensor<?x4x2xf32>) -> tensor<?x4x2xf32> {
  %0 = onnx.CumSum %x {axis = 1 : i64, exclusive = 0 : i64, reverse = 0 : i64} : (tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
  return %0 : tensor<?x4x2xf32>
}

func.func @cumsum_01(%x: tensor<?x4x2xf32>) -> tensor<?x4x2xf32> {
  %0 = onnx.CumSum %x {axis = 1 : i64, exclusive = 0 : i64, reverse = 1 : i64} : (tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
  return %0 : tensor<?x4x2xf32>
}

func.func @cumsum_10(%x: tensor<?x4x2xf32>) -> tensor<?x4x2xf32> {
  %0 = onnx.CumSum %x {axis = 1 : i64, exclusive = 1 : i64, reverse = 0 : i64} : (tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
  return %0 : tensor<?x4x2xf32>
}

func.func @cumsum_11(%x: tensor<?x4x2xf32>) -> tensor<?x4x2xf32> {
  %0 = onnx.CumSum %x {axis = 1 : i64, exclusive = 1 : i64, reverse = 1 : i64} : (tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
  return %0 : tensor<?x4x2xf32>
}

func.func @slice_of_the_first(%x: tensor<?x5x3xf32>) -> tensor<?x2x2xf32> {
  %0 = onnx.Slice %x {axes = array<i64: 1, 2>, ends = array<i64: 2, 2>, starts = array<i64: 0, 0>} : (tensor<?x5x3xf32>) -> tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}

func.func @slice_around(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = onnx.Slice %x {axes = array<i64: 0, 1>, ends = array<i64: -4, -5>, starts = array<i64: 2, 3>, steps = array<i64: -1, -1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
