// Elements picked and replaced by indices. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @gather_elements(%x: tensor<?x5xf32>, %i: tensor<?x2xi64> {test.classes = 5 : i64}) -> tensor<?x2xf32> {
  %0 = onnx.GatherElements %x, %i {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

func.func @gather_elements_twice_the_same(%x: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %i = onnx.Constant dense<[[0, -1], [0, 1]]> : tensor<2x2xi64>
  %0 = onnx.GatherElements %x, %i : (tensor<3x2xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

func.func @scatter_elements_none(%x: tensor<3x4xf32>, %u: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %i = onnx.Constant dense<[[0, -1], [2, 1], [3, 0]]> : tensor<3x2xi64>
  %0 = onnx.ScatterElements %x, %i, %u {axis = 1 : i64, reduction = "none"} : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @scatter_nd_none(%x: tensor<3x4x2xf32>, %u: tensor<2x2xf32>) -> tensor<3x4x2xf32> {
  %i = onnx.Constant dense<[[0, -1], [2, 1]]> : tensor<2x2xi64>
  %0 = onnx.ScatterND %x, %i, %u {reduction = "none"} : (tensor<3x4x2xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}

func.func @scatter_elements_add(%x: tensor<3x4xf32>, %u: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %i = onnx.Constant dense<[[0, -1], [2, 1], [3, 0]]> : tensor<3x2xi64>
  %0 = onnx.ScatterElements %x, %i, %u {axis = 1 : i64, reduction = "add"} : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @scatter_nd_add(%x: tensor<3x4x2xf32>, %u: tensor<2x2xf32>) -> tensor<3x4x2xf32> {
  %i = onnx.Constant dense<[[0, -1], [2, 1]]> : tensor<2x2xi64>
  %0 = onnx.ScatterND %x, %i, %u {reduction = "add"} : (tensor<3x4x2xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}

func.func @gather_nd(%x: tensor<3x4x2xf32>) -> tensor<3x1x2xf32> {
  %i = onnx.Constant dense<[[[0, 1]], [[2, -1]], [[0, 1]]]> : tensor<3x1x2xi64>
  %0 = onnx.GatherND %x, %i : (tensor<3x4x2xf32>, tensor<3x1x2xi64>) -> tensor<3x1x2xf32>
  return %0 : tensor<3x1x2xf32>
}

func.func @gather_nd_of_a_batch(%x: tensor<?x5x2xf32>, %i: tensor<?x3x1xi64> {test.classes = 5 : i64}) -> tensor<?x3x2xf32> {
  %0 = onnx.GatherND %x, %i {batch_dims = 1 : i64} : (tensor<?x5x2xf32>, tensor<?x3x1xi64>) -> tensor<?x3x2xf32>
  return %0 : tensor<?x3x2xf32>
}
