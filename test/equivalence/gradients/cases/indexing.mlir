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

func.func @scatter_elements_mul(%x: tensor<3x4xf32>, %u: tensor<3x3xf32> {test.values = "positive"}) -> tensor<3x4xf32> {
  %i = onnx.Constant dense<[[0, -1, 0], [2, 1, 1], [3, 0, 2]]> : tensor<3x3xi64>
  %0 = onnx.ScatterElements %x, %i, %u {axis = 1 : i64, reduction = "mul"} : (tensor<3x4xf32>, tensor<3x3xi64>, tensor<3x3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @scatter_elements_mul_by_zeros(%x: tensor<4xf32>, %u: tensor<5xf32>) -> tensor<4xf32> {
  %i = onnx.Constant dense<[0, 0, 1, 1, 2]> : tensor<5xi64>
  %m = onnx.Constant dense<[0.0, 2.0, 0.0, 0.0, 0.0]> : tensor<5xf32>
  %v = onnx.Mul %u, %m : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %0 = onnx.ScatterElements %x, %i, %v {reduction = "mul"} : (tensor<4xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @scatter_elements_max(%x: tensor<3x4xf32> {test.values = "spread"}, %u: tensor<3x3xf32> {test.values = "spread"}) -> tensor<3x4xf32> {
  %i = onnx.Constant dense<[[0, -1, 0], [2, 1, 1], [3, 0, 2]]> : tensor<3x3xi64>
  %0 = onnx.ScatterElements %x, %i, %u {axis = 1 : i64, reduction = "max"} : (tensor<3x4xf32>, tensor<3x3xi64>, tensor<3x3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @scatter_nd_min(%x: tensor<3x4x2xf32> {test.values = "spread"}, %u: tensor<2x2xf32> {test.values = "spread"}) -> tensor<3x4x2xf32> {
  %i = onnx.Constant dense<[[0, -1], [0, 3]]> : tensor<2x2xi64>
  %0 = onnx.ScatterND %x, %i, %u {reduction = "min"} : (tensor<3x4x2xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}

func.func @scatter_nd_mul_of_a_batch(%x: tensor<?x5x2xf32>, %i: tensor<?x3x1xi64> {test.classes = 5 : i64}, %u: tensor<?x3x2xf32>) -> tensor<?x5x2xf32> {
  %0 = onnx.ScatterND %x, %i, %u {batch_dims = 1 : i64, reduction = "mul"} : (tensor<?x5x2xf32>, tensor<?x3x1xi64>, tensor<?x3x2xf32>) -> tensor<?x5x2xf32>
  return %0 : tensor<?x5x2xf32>
}

func.func @top_k(%x: tensor<?x6xf32> {test.values = "spread"}) -> tensor<?x2xf32> {
  %0, %1 = onnx.TopK %x {k = 2 : i64} : (tensor<?x6xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  return %0 : tensor<?x2xf32>
}

func.func @all_in_order(%x: tensor<?x3xf32> {test.values = "spread"}) -> tensor<?x3xf32> {
  %0, %1 = onnx.TopK %x {axis = 0 : i64, k = -1 : i64} : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xi64>)
  return %0 : tensor<?x3xf32>
}

// One row alone, against all.
func.func @against_the_first(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Slice %x {axes = array<i64: 0>, ends = array<i64: 1>, starts = array<i64: 0>} : (tensor<?x3xf32>) -> tensor<1x3xf32>
  %1 = onnx.Sub %x, %0 : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  %2 = onnx.Mul %1, %1 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %2 : tensor<?x3xf32>
}

func.func @smallest_of_columns(%x: tensor<6x3xf32> {test.values = "spread"}) -> tensor<4x3xf32> {
  %0, %1 = onnx.TopK %x {axis = 0 : i64, k = 4 : i64, largest = 0 : i64} : (tensor<6x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %0 : tensor<4x3xf32>
}
