// Extremes and products over axes. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @reducemax_keeping(%x: tensor<?x3x2xf32> {test.values = "spread"}) -> tensor<?x1x1xf32> {
  %0 = onnx.ReduceMax %x {axes = array<i64: 1, -1>} : (tensor<?x3x2xf32>) -> tensor<?x1x1xf32>
  return %0 : tensor<?x1x1xf32>
}

func.func @reducemax_dropping(%x: tensor<3x2xf32> {test.values = "spread"}) -> tensor<2xf32> {
  %0 = onnx.ReduceMax %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<3x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @reducemin_keeping(%x: tensor<?x3x2xf32> {test.values = "spread"}) -> tensor<?x1x1xf32> {
  %0 = onnx.ReduceMin %x {axes = array<i64: 1, -1>} : (tensor<?x3x2xf32>) -> tensor<?x1x1xf32>
  return %0 : tensor<?x1x1xf32>
}

func.func @reducemin_dropping(%x: tensor<3x2xf32> {test.values = "spread"}) -> tensor<2xf32> {
  %0 = onnx.ReduceMin %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<3x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @reduceprod_keeping(%x: tensor<?x3x2xf32> {test.values = "positive"}) -> tensor<?x1x1xf32> {
  %0 = onnx.ReduceProd %x {axes = array<i64: 1, -1>} : (tensor<?x3x2xf32>) -> tensor<?x1x1xf32>
  return %0 : tensor<?x1x1xf32>
}

func.func @reduceprod_dropping(%x: tensor<3x2xf32> {test.values = "positive"}) -> tensor<2xf32> {
  %0 = onnx.ReduceProd %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<3x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
