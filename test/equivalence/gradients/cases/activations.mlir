// Activations. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @softplus(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Softplus %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @softsign(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.Softsign %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @leakyrelu(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.LeakyRelu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @leakyrelu_steep(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.LeakyRelu %x {alpha = 3.0e-1 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @elu(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.Elu %x {alpha = 5.0e-1 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @selu(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.Selu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @celu(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.Celu %x {alpha = 2.0 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @hardsigmoid(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.HardSigmoid %x {alpha = 1.6 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @hardswish(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.HardSwish %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @thresholdedrelu(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.ThresholdedRelu %x {alpha = 1.0e-1 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @gelu(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Gelu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @gelu_tanh(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Gelu %x {approximate = "tanh"} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @hardswish_beyond_its_corners(%x: tensor<8x10xf32> {test.values = "spread"}) -> tensor<8x10xf32> {
  %0 = onnx.HardSwish %x : (tensor<8x10xf32>) -> tensor<8x10xf32>
  return %0 : tensor<8x10xf32>
}

func.func @prelu(%x: tensor<?x3xf32> {test.values = "spread"}, %s: tensor<3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.PRelu %x, %s : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @shrink(%x: tensor<4x6xf32> {test.values = "spread"}) -> tensor<4x6xf32> {
  %0 = onnx.Shrink %x {bias = 2.0e-1 : f32, lambd = 3.0e-1 : f32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
