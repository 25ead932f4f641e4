// Arithmetic. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @add_broadcast_of_both(%a: tensor<2x1x3xf32>, %b: tensor<4x1xf32>) -> tensor<2x4x3xf32> {
  %0 = onnx.Add %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

func.func @add_bias_to_a_batch(%a: tensor<?x3xf32>, %b: tensor<3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Add %a, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @sub_scalar(%a: tensor<f32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Sub %a, %b : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @mul_broadcast(%a: tensor<2x1xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Mul %a, %b : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @mul_of_a_batch_by_its_rows(%a: tensor<?x3xf32>, %b: tensor<?x1xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Mul %a, %b : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @square(%a: tensor<5xf32>) -> tensor<5xf32> {
  %0 = onnx.Mul %a, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @div_broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32> {test.values = "positive"}) -> tensor<2x3xf32> {
  %0 = onnx.Div %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @sum_broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Sum %a, %b, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @pow_cube(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = onnx.Constant dense<3.0> : tensor<f32>
  %0 = onnx.Pow %a, %e : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @pow_widened_by_its_exponent(%a: tensor<3xf32> {test.values = "positive"}) -> tensor<2x3xf32> {
  %e = onnx.Constant dense<[[0.5], [-1.5]]> : tensor<2x1xf32>
  %0 = onnx.Pow %a, %e : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @neg(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Neg %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @sqrt(%a: tensor<4xf32> {test.values = "positive"}) -> tensor<4xf32> {
  %0 = onnx.Sqrt %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @exp(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Exp %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @log(%a: tensor<4xf32> {test.values = "positive"}) -> tensor<4xf32> {
  %0 = onnx.Log %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @erf(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Erf %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @relu(%a: tensor<3x4xf32> {test.values = "spread"}) -> tensor<3x4xf32> {
  %0 = onnx.Relu %a : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @sigmoid(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Sigmoid %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @tanh(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Tanh %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @cast_to_double_and_back(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Cast %a {to = f64} : (tensor<4xf32>) -> tensor<4xf64>
  %1 = onnx.Mul %0, %0 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %2 = onnx.Cast %1 {to = f32} : (tensor<4xf64>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

func.func @identity(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Identity %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The gaussian error unit as transformers export it: one value on several paths.
func.func @gelu(%a: tensor<6xf32>) -> tensor<6xf32> {
  %root = onnx.Constant dense<1.41421356> : tensor<f32>
  %one = onnx.Constant dense<1.0> : tensor<f32>
  %half = onnx.Constant dense<0.5> : tensor<f32>
  %0 = onnx.Div %a, %root : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = onnx.Erf %0 : (tensor<6xf32>) -> tensor<6xf32>
  %2 = onnx.Add %1, %one : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %3 = onnx.Mul %a, %2 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %4 = onnx.Mul %3, %half : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  return %4 : tensor<6xf32>
}
