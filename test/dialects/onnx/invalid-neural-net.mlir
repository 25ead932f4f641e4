// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @conv_c1_no_spatial_dimension(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{'onnx.Conv' op needs X of rank 3 to 5, but it is 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @conv_c1_ranks_differ(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{needs W of X's rank, but they are 'tensor<4x3x3x3xf32>' and 'tensor<2x3x8xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<2x3x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_weights_are_static(%x: tensor<2x3x8xf32>, %w: tensor<?x3x3xf32>) {
  // expected-error @+2 {{needs W of static shape, but it is 'tensor<?x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<2x3x8xf32>, tensor<?x3x3xf32>) -> tensor<2x?x6xf32>
  return
}

// -----

func.func @conv_kernel_shape_of_weights_that_vary(%x: tensor<2x3x8xf32>, %w: tensor<4x3x?xf32>) {
  // expected-error @+2 {{needs W of static shape, but it is 'tensor<4x3x?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {kernel_shape = array<i64: 3>} : (tensor<2x3x8xf32>, tensor<4x3x?xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c2_channels(%x: tensor<2x3x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error @+2 {{cannot divide the channels of X 'tensor<2x3x8xf32>' and W 'tensor<4x2x3xf32>' into 1 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<2x3x8xf32>, tensor<4x2x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c2_groups_do_not_divide(%x: tensor<2x4x8xf32>, %w: tensor<5x2x3xf32>) {
  // expected-error @+2 {{into 2 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {group = 2 : i64} : (tensor<2x4x8xf32>, tensor<5x2x3xf32>) -> tensor<2x5x6xf32>
  return
}

// -----

func.func @conv_c2_no_group(%x: tensor<2x4x8xf32>, %w: tensor<5x4x3xf32>) {
  // expected-error @+2 {{into 0 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {group = 0 : i64} : (tensor<2x4x8xf32>, tensor<5x4x3xf32>) -> tensor<2x5x6xf32>
  return
}

// -----

func.func @conv_c3_number_of_strides(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{has 2 entries in strides, but needs 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {strides = array<i64: 1, 1>} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c3_dilation_of_zero(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{has 0 in dilations, but the least is 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {dilations = array<i64: 0>} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c3_negative_pads(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{has -1 in pads, but the least is 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {pads = array<i64: -1, 0>} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{has kernel_shape [5], but W is 'tensor<4x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {kernel_shape = array<i64: 5>} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c5_unknown_mode(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{has auto_pad 'SAME', which is not one of NOTSET, VALID, SAME_UPPER, SAME_LOWER}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {auto_pad = "SAME"} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c5_two_kinds_of_padding(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{has both pads and auto_pad VALID; drop one of them}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {auto_pad = "VALID", pads = array<i64: 0, 0>} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c5_same_of_unknown(%x: tensor<2x3x?xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{needs static spatial dimensions for auto_pad SAME, but they are [?]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {auto_pad = "SAME_LOWER"} : (tensor<2x3x?xf32>, tensor<4x3x3xf32>) -> tensor<2x4x?xf32>
  return
}

// -----

func.func @conv_c6(%x: tensor<2x3x8x4xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{has a window that spans 7 elements of dimension 3, which has only 4 and 2 of padding}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w {dilations = array<i64: 1, 3>, pads = array<i64: 0, 1, 0, 1>} : (tensor<2x3x8x4xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x1xf32>
  return
}

// -----

func.func @conv_c7(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.Conv' op needs B of type 'tensor<4xf32>', but it is 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w, %b : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @conv_c8(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf16>) {
  // expected-error @+2 {{'onnx.Conv' op needs operands of one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Conv %x, %w : (tensor<2x3x8xf32>, tensor<4x3x3xf16>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @maxpool_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.MaxPool' op needs X of rank 3 to 5, but it is 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @maxpool_c2(%x: tensor<2x3x8x8xf32>) {
  // expected-error @+2 {{has 1 entries in kernel_shape, but needs 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 2>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x7x7xf32>
  return
}

// -----

func.func @maxpool_c5(%x: tensor<2x3x8xf32>) {
  // expected-error @+2 {{has storage_order 1, but only 0 (row major) is supported}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 2>, storage_order = 1 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x7xf32>
  return
}

// -----

func.func @averagepool_c4(%x: tensor<2x3x2xf32>) {
  // expected-error @+2 {{'onnx.AveragePool' op has a window that spans 3 elements of dimension 2, which has only 2 and 0 of padding}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.AveragePool %x {kernel_shape = array<i64: 3>} : (tensor<2x3x2xf32>) -> tensor<2x3x0xf32>
  return
}

// -----

func.func @globalaveragepool_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.GlobalAveragePool' op needs X of rank 3 or more, but it is 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.GlobalAveragePool %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dropout_c1_ratio(%x: tensor<2xf32>, %r: tensor<1xf32>) {
  // expected-error @+1 {{'onnx.Dropout' op needs a scalar ratio, but it is 'tensor<1xf32>'}}
  %0:2 = onnx.Dropout %x ratio %r : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xi1>)
  return
}

// -----

func.func @dropout_c1_training_mode(%x: tensor<2xf32>, %t: tensor<1xi1>) {
  // expected-error @+1 {{'onnx.Dropout' op needs a scalar training_mode, but it is 'tensor<1xi1>'}}
  %0:2 = onnx.Dropout %x training %t : (tensor<2xf32>, tensor<1xi1>) -> (tensor<2xf32>, tensor<2xi1>)
  return
}

// -----

func.func @dropout_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'onnx.Dropout' op has samples = [2, 1], but needs a dimension of 'tensor<2x3xf32>' and how many blocks of samples it holds, or neither}}
  %0:2 = onnx.Dropout %x {samples = array<i64: 2, 1>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return
}

// -----

func.func @dropout_c3_of_no_blocks(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has samples = [1, 0], but needs}}
  %0:2 = onnx.Dropout %x {samples = array<i64: 1, 0>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return
}

// -----

func.func @dropout_c2(%x: tensor<2xf32>) {
  %r = onnx.Constant dense<1.0> : tensor<f32>
  // expected-error @+1 {{'onnx.Dropout' op needs a ratio of at least 0 and less than 1, but it is 1.0}}
  %0:2 = onnx.Dropout %x ratio %r : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xi1>)
  return
}

// -----

func.func @dropoutgrad_c1(%dy: tensor<2xf32>, %m: tensor<3xi1>) {
  // expected-error @+2 {{'onnx.DropoutGrad' op needs mask of shape [2], but it is 'tensor<3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.DropoutGrad %dy, %m : (tensor<2xf32>, tensor<3xi1>) -> tensor<2xf32>
  return
}

// -----

func.func @convgrad_c1(%dy: tensor<2x4x5xf32>, %x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{'onnx.ConvGrad' op needs dY of shape [2, 4, 6], but it is 'tensor<2x4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.ConvGrad %dy, %x, %w : (tensor<2x4x5xf32>, tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @maxpoolgrad_c1(%dy: tensor<2x3x3xf32>, %x: tensor<2x3x8xf32>) {
  // expected-error @+2 {{'onnx.MaxPoolGrad' op needs dY of shape [2, 3, 7], but it is 'tensor<2x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MaxPoolGrad %dy, %x {kernel_shape = array<i64: 2>} : (tensor<2x3x3xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @averagepoolgrad_c1(%dy: tensor<2x3x3xf32>, %x: tensor<2x3x8xf32>) {
  // expected-error @+2 {{'onnx.AveragePoolGrad' op needs dY of shape [2, 3, 7], but it is 'tensor<2x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.AveragePoolGrad %dy, %x {kernel_shape = array<i64: 2>} : (tensor<2x3x3xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}
