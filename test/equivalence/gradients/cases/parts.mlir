// Lookups, joining and cutting. Labels are below test.classes; see ../GradientCase.h.

func.func @lookup(%t: tensor<5x3xf32>, %i: tensor<?xi64> {test.classes = 5 : i64}) -> tensor<?x3xf32> {
  %0 = onnx.Gather %t, %i : (tensor<5x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @lookup_of_several(%t: tensor<3x2xf32>, %i: tensor<?x4xi64> {test.classes = 3 : i64}) -> tensor<?x4x2xf32> {
  %0 = onnx.Gather %t, %i : (tensor<3x2xf32>, tensor<?x4xi64>) -> tensor<?x4x2xf32>
  return %0 : tensor<?x4x2xf32>
}

func.func @lookup_of_scalars(%t: tensor<6xf32>, %i: tensor<?xi64> {test.classes = 6 : i64}) -> tensor<?xf32> {
  %0 = onnx.Gather %t, %i : (tensor<6xf32>, tensor<?xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @lookup_in_the_middle(%t: tensor<2x5x3xf32>, %i: tensor<2x2xi64> {test.classes = 5 : i64}) -> tensor<2x2x2x3xf32> {
  %0 = onnx.Gather %t, %i {axis = 1 : i64} : (tensor<2x5x3xf32>, tensor<2x2xi64>) -> tensor<2x2x2x3xf32>
  return %0 : tensor<2x2x2x3xf32>
}

func.func @lookup_of_one_in_a_batch(%x: tensor<?x4x3xf32>) -> tensor<?x3xf32> {
  %i = onnx.Constant dense<-2> : tensor<i64>
  %0 = onnx.Gather %x, %i {axis = 1 : i64} : (tensor<?x4x3xf32>, tensor<i64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @two_lookups_in_one_table(%t: tensor<4x2xf32>, %i: tensor<?xi64> {test.classes = 4 : i64}, %j: tensor<?xi64> {test.classes = 4 : i64}) -> tensor<?x2xf32> {
  %0 = onnx.Gather %t, %i : (tensor<4x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %1 = onnx.Gather %t, %j : (tensor<4x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %2 = onnx.Mul %0, %1 : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %2 : tensor<?x2xf32>
}

func.func @concat(%a: tensor<?x2xf32>, %b: tensor<?x3xf32>) -> tensor<?x5xf32> {
  %0 = onnx.Concat %a, %b {axis = -1 : i64} : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

func.func @split(%x: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %0:3 = onnx.Split %x {axis = 1 : i64, split = array<i64: 2, 1, 2>} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x1xf32>, tensor<?x2xf32>)
  return %0#0, %0#2 : tensor<?x2xf32>, tensor<?x2xf32>
}
