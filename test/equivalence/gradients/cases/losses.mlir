// The softmax family and the loss. Every float argument is differentiated unless it says `test.constant`; see
// ../GradientCase.h.

func.func @softmax(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = onnx.Softmax %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func @softmax_along_an_inner_axis(%x: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
  %0 = onnx.Softmax %x {axis = 1 : i64} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

func.func @log_softmax(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = onnx.LogSoftmax %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func @log_softmax_along_the_first_axis(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = onnx.LogSoftmax %x {axis = 0 : i64} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @cross_entropy(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}) -> tensor<f32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
  return %0#0 : tensor<f32>
}

func.func @cross_entropy_sum(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}) -> tensor<f32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l {reduction = "sum"} : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
  return %0#0 : tensor<f32>
}

func.func @cross_entropy_of_each_sample(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}) -> tensor<?xf32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l {reduction = "none"} : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?x3xf32>)
  return %0#0 : tensor<?xf32>
}

func.func @cross_entropy_that_ignores_a_class(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}) -> tensor<f32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l {ignore_index = 1 : i64} : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
  return %0#0 : tensor<f32>
}

func.func @cross_entropy_with_weights(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}, %w: tensor<3xf32> {test.constant, test.values = "positive"}) -> tensor<f32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l, %w : (tensor<?x3xf32>, tensor<?xi64>, tensor<3xf32>) -> (tensor<f32>, tensor<?x3xf32>)
  return %0#0 : tensor<f32>
}

func.func @cross_entropy_with_weights_that_ignores_a_class(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}, %w: tensor<3xf32> {test.constant, test.values = "positive"}) -> tensor<?xf32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l, %w {ignore_index = 0 : i64, reduction = "none"} : (tensor<?x3xf32>, tensor<?xi64>, tensor<3xf32>) -> (tensor<?xf32>, tensor<?x3xf32>)
  return %0#0 : tensor<?xf32>
}

func.func @cross_entropy_of_pixels(%s: tensor<?x3x2xf32>, %l: tensor<?x2xi64> {test.classes = 3 : i64}) -> tensor<f32> {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l : (tensor<?x3x2xf32>, tensor<?x2xi64>) -> (tensor<f32>, tensor<?x3x2xf32>)
  return %0#0 : tensor<f32>
}

func.func @both_results_of_cross_entropy(%s: tensor<?x3xf32>, %l: tensor<?xi64> {test.classes = 3 : i64}) -> (tensor<f32>, tensor<?x3xf32>) {
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<?x3xf32>
}
