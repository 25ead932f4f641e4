// Each result type is wrong on purpose, so that the message shows the inferred one.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @convolution_with_defaults(%x: tensor<?x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4x6x6xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @convolution_with_strides_dilations_pads(%x: tensor<2x4x9x7xf32>, %w: tensor<6x2x3x2xf32>) {
  // (9 + 1 + 2 - 5) / 2 + 1 = 4 and (7 + 0 + 1 - 2) / 1 + 1 = 7
  // expected-error @+2 {{inferred type(s) 'tensor<2x6x4x7xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {group = 2 : i64, strides = array<i64: 2, 1>, dilations = array<i64: 2, 1>, pads = array<i64: 1, 0, 2, 1>} : (tensor<2x4x9x7xf32>, tensor<6x2x3x2xf32>) -> tensor<f64>
  return
}

// -----

func.func @convolution_same_upper(%x: tensor<?x1x7x8xf32>, %w: tensor<1x1x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x1x4x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>} : (tensor<?x1x7x8xf32>, tensor<1x1x3x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @convolution_valid_in_one_dimension(%x: tensor<?x1x10xf32>, %w: tensor<5x1x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5x7xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {auto_pad = "VALID"} : (tensor<?x1x10xf32>, tensor<5x1x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @convolution_in_three_dimensions_of_which_one_is_unknown(%x: tensor<?x1x?x6x6xf32>, %w: tensor<5x1x3x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5x?x4x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<?x1x?x6x6xf32>, tensor<5x1x3x3x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @max_pool_rounds_down(%x: tensor<?x3x7x7xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x3x7x7xf32>) -> tensor<f64>
  return
}

// -----

func.func @max_pool_rounds_up(%x: tensor<?x3x7x7xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x4x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MaxPool %x {ceil_mode = 1 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x3x7x7xf32>) -> tensor<f64>
  return
}

// -----

func.func @rounding_up_leaves_out_a_window_of_padding_alone(%x: tensor<1x1x4xf32>) {
  // (4 + 1 + 1 - 1) / 3 rounds up to 2, but the third window would start in the padding at the end.
  // expected-error @+2 {{inferred type(s) 'tensor<1x1x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.AveragePool %x {ceil_mode = 1 : i64, kernel_shape = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 3>} : (tensor<1x1x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @global_average_pool(%x: tensor<?x3x7x?xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x1x1xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.GlobalAveragePool %x : (tensor<?x3x7x?xf32>) -> tensor<f64>
  return
}

// -----

func.func @batch_normalization_takes_unknown_channels_from_its_vectors(%x: tensor<4x?xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x?xf32>', 'tensor<3xf32>', 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.BatchNormalization %x, %v, %v, %v, %v : (tensor<4x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<f64>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @dropout_mask(%x: tensor<?x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xf32>', 'tensor<?x3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.Dropout %x : (tensor<?x3xf32>) -> (tensor<f64>, tensor<?x3xi1>)
  return
}

// -----

func.func @gradients_of_convolution(%dy: tensor<?x4x6x6xf32>, %x: tensor<?x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x8x8xf32>', 'tensor<4x3x3x3xf32>', 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.ConvGrad %dy, %x, %w : (tensor<?x4x6x6xf32>, tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<f64>, tensor<4x3x3x3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @loss_without_reduction(%s: tensor<?x10x4xf32>, %l: tensor<?x4xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>', 'tensor<?x10x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l {reduction = "none"} : (tensor<?x10x4xf32>, tensor<?x4xi64>) -> (tensor<f64>, tensor<?x10x4xf32>)
  return
}

// -----

func.func @loss_with_mean(%s: tensor<?x10xf16>, %l: tensor<?xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f16>', 'tensor<?x10xf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l : (tensor<?x10xf16>, tensor<?xi32>) -> (tensor<f64>, tensor<?x10xf16>)
  return
}

// -----

func.func @convolution_by_a_kernel_whose_size_varies(%x: tensor<2x1x8x5xf32>, %w: tensor<3x1x?x2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3x?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<2x1x8x5xf32>, tensor<3x1x?x2xf32>) -> tensor<f64>
  return
}
