// Pools, batch normalization, dropout. Every float argument is differentiated unless it says `test.constant`; see
// ../GradientCase.h.

func.func @max_pool(%x: tensor<?x2x4x4xf32> {test.values = "spread"}) -> tensor<?x2x2x2xf32> {
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x2x4x4xf32>) -> tensor<?x2x2x2xf32>
  return %0 : tensor<?x2x2x2xf32>
}

func.func @max_pool_with_overlap_and_pads(%x: tensor<1x2x5x5xf32> {test.values = "spread"}) -> tensor<1x2x3x3xf32> {
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

func.func @max_pool_with_dilations(%x: tensor<1x1x5x5xf32> {test.values = "spread"}) -> tensor<1x1x3x3xf32> {
  %0 = onnx.MaxPool %x {dilations = array<i64: 2, 2>, kernel_shape = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32>
  return %0 : tensor<1x1x3x3xf32>
}

func.func @max_pool_rounding_up(%x: tensor<1x1x5x5xf32> {test.values = "spread"}) -> tensor<1x1x3x3xf32> {
  %0 = onnx.MaxPool %x {ceil_mode = 1 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32>
  return %0 : tensor<1x1x3x3xf32>
}

func.func @max_pool_in_one_dimension(%x: tensor<2x2x6xf32> {test.values = "spread"}) -> tensor<2x2x3xf32> {
  %0 = onnx.MaxPool %x {kernel_shape = array<i64: 2>, strides = array<i64: 2>} : (tensor<2x2x6xf32>) -> tensor<2x2x3xf32>
  return %0 : tensor<2x2x3xf32>
}

func.func @average_pool(%x: tensor<?x2x4x4xf32>) -> tensor<?x2x2x2xf32> {
  %0 = onnx.AveragePool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x2x4x4xf32>) -> tensor<?x2x2x2xf32>
  return %0 : tensor<?x2x2x2xf32>
}

func.func @average_pool_excluding_pads(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = onnx.AveragePool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

func.func @average_pool_including_pads(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = onnx.AveragePool %x {count_include_pad = 1 : i64, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

func.func @average_pool_rounding_up(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32> {
  %0 = onnx.AveragePool %x {ceil_mode = 1 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32>
  return %0 : tensor<1x1x3x3xf32>
}

func.func @average_pool_with_holes(%x: tensor<1x2x5x6xf32>) -> tensor<1x2x2x4xf32> {
  %0 = onnx.AveragePool %x {dilations = array<i64: 2, 3>, kernel_shape = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 2, 1>} : (tensor<1x2x5x6xf32>) -> tensor<1x2x2x4xf32>
  return %0 : tensor<1x2x2x4xf32>
}

func.func @global_average_pool(%x: tensor<?x2x3x4xf32>) -> tensor<?x2x1x1xf32> {
  %0 = onnx.GlobalAveragePool %x : (tensor<?x2x3x4xf32>) -> tensor<?x2x1x1xf32>
  return %0 : tensor<?x2x1x1xf32>
}

func.func @batch_normalization_in_training(%x: tensor<?x2x2x3xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32> {test.constant}, %v: tensor<2xf32> {test.constant, test.values = "positive"}) -> tensor<?x2x2x3xf32> {
  %0:3 = onnx.BatchNormalization %x, %s, %b, %m, %v {training_mode = 1 : i64} : (tensor<?x2x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x2x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<?x2x2x3xf32>
}

func.func @batch_normalization_of_a_matrix(%x: tensor<?x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32> {test.constant}, %v: tensor<3xf32> {test.constant, test.values = "positive"}) -> tensor<?x3xf32> {
  %0:3 = onnx.BatchNormalization %x, %s, %b, %m, %v {epsilon = 1.000000e-01 : f32, training_mode = 1 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<?x3xf32>
}

func.func @batch_norm_internal(%x: tensor<?x2x3xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32> {test.constant}, %v: tensor<2xf32> {test.constant, test.values = "positive"}) -> tensor<?x2x3xf32> {
  %0:5 = onnx.BatchNormInternal %x, %s, %b, %m, %v : (tensor<?x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<?x2x3xf32>
}

func.func @batch_normalization_in_inference(%x: tensor<?x2x2x3xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32> {test.constant}, %v: tensor<2xf32> {test.constant, test.values = "positive"}) -> tensor<?x2x2x3xf32> {
  %0:3 = onnx.BatchNormalization %x, %s, %b, %m, %v : (tensor<?x2x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x2x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<?x2x2x3xf32>
}

func.func @dropout_in_training(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %ratio = onnx.Constant dense<0.25> : tensor<f32>
  %training = onnx.Constant dense<true> : tensor<i1>
  %0:2 = onnx.Dropout %x ratio %ratio training %training : (tensor<?x8xf32>, tensor<f32>, tensor<i1>) -> (tensor<?x8xf32>, tensor<?x8xi1>)
  return %0#0 : tensor<?x8xf32>
}

func.func @times_normal_noise(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %noise = onnx.RandomNormalLike %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = onnx.Mul %x, %noise : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @times_uniform_noise(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %noise = onnx.RandomUniformLike %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = onnx.Mul %x, %noise : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @dropout_outside_training(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %training = onnx.Constant dense<false> : tensor<i1>
  %0:2 = onnx.Dropout %x training %training : (tensor<?x8xf32>, tensor<i1>) -> (tensor<?x8xf32>, tensor<?x8xi1>)
  return %0#0 : tensor<?x8xf32>
}
