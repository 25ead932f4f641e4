// Functions of one element and choices between elements. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @sin(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Sin %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @cos(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Cos %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @tan(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Tan %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @atan(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Atan %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @sinh(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Sinh %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @cosh(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Cosh %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @asinh(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Asinh %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @asinh_on_both_sides_of_one(%x: tensor<4x6xf32> {test.values = "spread"}) -> tensor<4x6xf32> {
  %0 = onnx.Asinh %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @asin_of_half(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %h = onnx.Constant dense<0.5> : tensor<f32>
  %1 = onnx.Mul %x, %h : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = onnx.Asin %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @acos_of_half(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %h = onnx.Constant dense<0.5> : tensor<f32>
  %1 = onnx.Mul %x, %h : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = onnx.Acos %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @atanh_of_half(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %h = onnx.Constant dense<0.5> : tensor<f32>
  %1 = onnx.Mul %x, %h : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = onnx.Atanh %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @acosh_of_one_more(%x: tensor<2x3xf32> {test.values = "positive"}) -> tensor<2x3xf32> {
  %h = onnx.Constant dense<1.0> : tensor<f32>
  %1 = onnx.Add %x, %h : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = onnx.Acosh %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @reciprocal(%x: tensor<?x3xf32> {test.values = "positive"}) -> tensor<?x3xf32> {
  %0 = onnx.Reciprocal %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @abs(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.Abs %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @sign(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0 = onnx.Sign %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @floor_beside_its_operand(%x: tensor<2x3xf32> {test.values = "spread"}) -> tensor<2x3xf32> {
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %1 = onnx.Mul %x, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = onnx.Floor %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = onnx.Add %2, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @ceil_beside_its_operand(%x: tensor<2x3xf32> {test.values = "spread"}) -> tensor<2x3xf32> {
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %1 = onnx.Mul %x, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = onnx.Ceil %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = onnx.Add %2, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @round_beside_its_operand(%x: tensor<2x3xf32> {test.values = "spread"}) -> tensor<2x3xf32> {
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %1 = onnx.Mul %x, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = onnx.Round %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = onnx.Add %2, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @max_broadcast(%a: tensor<2x3xf32> {test.values = "spread"}, %b: tensor<3xf32>, %c: tensor<1x1xf32>) -> tensor<2x3xf32> {
  %h = onnx.Constant dense<0.02> : tensor<f32>
  %1 = onnx.Add %b, %h : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %0 = onnx.Max %a, %1, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @min_broadcast(%a: tensor<2x3xf32> {test.values = "spread"}, %b: tensor<3xf32>, %c: tensor<1x1xf32>) -> tensor<2x3xf32> {
  %h = onnx.Constant dense<0.02> : tensor<f32>
  %1 = onnx.Add %b, %h : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %0 = onnx.Min %a, %1, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @mean_of_tensors(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<f32>) -> tensor<2x3xf32> {
  %0 = onnx.Mean %a, %b, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @clip_both(%x: tensor<3x4xf32> {test.values = "spread"}) -> tensor<3x4xf32> {
  %l = onnx.Constant dense<-0.2> : tensor<f32>
  %h = onnx.Constant dense<0.3> : tensor<f32>
  %0 = onnx.Clip %x min %l max %h : (tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @clip_below(%x: tensor<3x4xf32> {test.values = "spread"}) -> tensor<3x4xf32> {
  %l = onnx.Constant dense<-0.2> : tensor<f32>
  %0 = onnx.Clip %x min %l : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @clip_above(%x: tensor<3x4xf32> {test.values = "spread"}) -> tensor<3x4xf32> {
  %h = onnx.Constant dense<0.3> : tensor<f32>
  %0 = onnx.Clip %x max %h : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @where(%x: tensor<?x2x3xf32>, %y: tensor<f32>) -> tensor<?x2x3xf32> {
  %c = onnx.Constant dense<[[true, false, true], [false, false, true]]> : tensor<2x3xi1>
  %0 = onnx.Where %c, %x, %y : (tensor<2x3xi1>, tensor<?x2x3xf32>, tensor<f32>) -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

func.func @where_one_is_less(%x: tensor<2x3xf32> {test.values = "spread"}, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %z = onnx.Constant dense<0.0> : tensor<f32>
  %c = onnx.Less %x, %z : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  %0 = onnx.Where %c, %x, %y : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @remainder_with_the_sign_of_the_divisor(%x: tensor<?x4xf32> {test.values = "spread"}, %d: tensor<4xf32> {test.values = "positive"}) -> tensor<?x4xf32> {
  %c = onnx.Constant dense<[0.37, -0.41, 0.53, -0.29]> : tensor<4xf32>
  %s = onnx.Mul %d, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = onnx.Mod %x, %s : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func @remainder_with_the_sign_of_the_dividend(%x: tensor<?x4xf32> {test.values = "spread"}, %d: tensor<4xf32> {test.values = "positive"}) -> tensor<?x4xf32> {
  %c = onnx.Constant dense<[0.37, -0.41, 0.53, -0.29]> : tensor<4xf32>
  %s = onnx.Mul %d, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = onnx.Mod %x, %s {fmod = 1 : i64} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Steps far smaller than what finite differences move by: the gradient is the slope of the line that they follow.
func.func @quantized_and_back(%x: tensor<?x4xf32> {test.values = "spread"}) -> tensor<?x4xf32> {
  %s = onnx.Constant dense<1.0e-9> : tensor<f32>
  %z = onnx.Constant dense<0.0> : tensor<f32>
  %0 = onnx.FakeQuantize %x, %s, %z {high = 0.513e9 : f64, low = -0.427e9 : f64} : (tensor<?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
