// Convolutions. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @plain(%x: tensor<2x2x4x4xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<3xf32>) -> tensor<2x3x2x2xf32> {
  %0 = onnx.Conv %x, %w, %b : (tensor<2x2x4x4xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

func.func @batch_without_bias(%x: tensor<?x1x4x4xf32>, %w: tensor<2x1x3x3xf32>) -> tensor<?x2x4x4xf32> {
  %0 = onnx.Conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x1x4x4xf32>, tensor<2x1x3x3xf32>) -> tensor<?x2x4x4xf32>
  return %0 : tensor<?x2x4x4xf32>
}

func.func @strides_that_leave_a_rest(%x: tensor<1x2x6x5xf32>, %w: tensor<2x2x3x2xf32>) -> tensor<1x2x2x2xf32> {
  %0 = onnx.Conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x2x6x5xf32>, tensor<2x2x3x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

func.func @uneven_pads(%x: tensor<1x1x4x3xf32>, %w: tensor<2x1x3x3xf32>) -> tensor<1x2x4x4xf32> {
  %0 = onnx.Conv %x, %w {pads = array<i64: 0, 1, 2, 2>} : (tensor<1x1x4x3xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

func.func @dilations(%x: tensor<1x2x5x6xf32>, %w: tensor<2x2x2x3xf32>) -> tensor<1x2x3x2xf32> {
  %0 = onnx.Conv %x, %w {dilations = array<i64: 2, 2>} : (tensor<1x2x5x6xf32>, tensor<2x2x2x3xf32>) -> tensor<1x2x3x2xf32>
  return %0 : tensor<1x2x3x2xf32>
}

func.func @groups(%x: tensor<2x4x4x3xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x2x1xf32> {
  %0 = onnx.Conv %x, %w, %b {group = 2 : i64} : (tensor<2x4x4x3xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x2x1xf32>
  return %0 : tensor<2x6x2x1xf32>
}

func.func @depthwise(%x: tensor<1x3x4x4xf32>, %w: tensor<3x1x2x2xf32>) -> tensor<1x3x3x3xf32> {
  %0 = onnx.Conv %x, %w {group = 3 : i64} : (tensor<1x3x4x4xf32>, tensor<3x1x2x2xf32>) -> tensor<1x3x3x3xf32>
  return %0 : tensor<1x3x3x3xf32>
}

func.func @strides_pads_dilations_groups(%x: tensor<1x2x6x6xf32>, %w: tensor<2x1x2x3xf32>) -> tensor<1x2x4x4xf32> {
  %0 = onnx.Conv %x, %w {dilations = array<i64: 3, 1>, group = 2 : i64, pads = array<i64: 2, 1, 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x6x6xf32>, tensor<2x1x2x3xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

func.func @same_upper(%x: tensor<1x1x5x4xf32>, %w: tensor<1x1x3x2xf32>) -> tensor<1x1x3x2xf32> {
  %0 = onnx.Conv %x, %w {auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>} : (tensor<1x1x5x4xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x2xf32>
  return %0 : tensor<1x1x3x2xf32>
}

func.func @same_lower(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %0 = onnx.Conv %x, %w {auto_pad = "SAME_LOWER"} : (tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}

func.func @one_dimension(%x: tensor<2x2x7xf32>, %w: tensor<3x2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = onnx.Conv %x, %w, %b {pads = array<i64: 1, 1>, strides = array<i64: 2>} : (tensor<2x2x7xf32>, tensor<3x2x3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @three_dimensions(%x: tensor<1x1x3x4x3xf32>, %w: tensor<2x1x2x2x2xf32>) -> tensor<1x2x2x3x2xf32> {
  %0 = onnx.Conv %x, %w : (tensor<1x1x3x4x3xf32>, tensor<2x1x2x2x2xf32>) -> tensor<1x2x2x3x2xf32>
  return %0 : tensor<1x2x2x3x2xf32>
}
