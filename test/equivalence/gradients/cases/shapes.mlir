// Shapes and reductions. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @flatten(%x: tensor<?x2x3xf32>) -> tensor<?x6xf32> {
  %0 = onnx.Flatten %x : (tensor<?x2x3xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

func.func @reshape(%x: tensor<?x2x3xf32>) -> tensor<?x3x2xf32> {
  %0 = onnx.Reshape %x {shape = array<i64: 0, 3, -1>} : (tensor<?x2x3xf32>) -> tensor<?x3x2xf32>
  return %0 : tensor<?x3x2xf32>
}

func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = onnx.Transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}

func.func @squeeze(%x: tensor<?x1x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Squeeze %x {axes = array<i64: 1>} : (tensor<?x1x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @unsqueeze(%x: tensor<2x3xf32>) -> tensor<1x2x1x3xf32> {
  %0 = onnx.Unsqueeze %x {axes = array<i64: 0, -2>} : (tensor<2x3xf32>) -> tensor<1x2x1x3xf32>
  return %0 : tensor<1x2x1x3xf32>
}

func.func @reduce_sum(%x: tensor<2x3x2xf32>) -> tensor<2x1x2xf32> {
  %0 = onnx.ReduceSum %x {axes = array<i64: 1>} : (tensor<2x3x2xf32>) -> tensor<2x1x2xf32>
  return %0 : tensor<2x1x2xf32>
}

func.func @reduce_sum_over_the_batch(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %0 = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @reduce_mean_of_everything(%x: tensor<?x3xf32>) -> tensor<f32> {
  %0 = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @reduce_mean_of_outer_and_inner(%x: tensor<2x3x2xf32>) -> tensor<3xf32> {
  %0 = onnx.ReduceMean %x {axes = array<i64: 0, -1>, keepdims = 0 : i64} : (tensor<2x3x2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Layer normalization as transformers export it: means of a value and of what is made of it.
func.func @layer_normalization(%x: tensor<?x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %epsilon = onnx.Constant dense<0.01> : tensor<f32>
  %mean = onnx.ReduceMean %x {axes = array<i64: -1>} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %centered = onnx.Sub %x, %mean : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %square = onnx.Pow %centered, %two : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %variance = onnx.ReduceMean %square {axes = array<i64: -1>} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %shifted = onnx.Add %variance, %epsilon : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %deviation = onnx.Sqrt %shifted : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %normal = onnx.Div %centered, %deviation : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %scaled = onnx.Mul %normal, %s : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %y = onnx.Add %scaled, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// The gradient of a reduction is itself differentiable.
func.func @reduction_gradients(%dy: tensor<3xf32>, %dm: tensor<f32>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = onnx.ReduceSumGrad %dy, %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.ReduceMeanGrad %dm, %x {keepdims = 0 : i64} : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
