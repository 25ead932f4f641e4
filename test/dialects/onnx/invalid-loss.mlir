// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.Softmax' op has axis 2, which is not a dimension of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Softmax %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmaxgrad_c1(%dy: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+2 {{'onnx.SoftmaxGrad' op needs dY and Y of one shape, but they are 'tensor<2x3xf32>' and 'tensor<3x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.SoftmaxGrad %dy, %y : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @logsoftmaxgrad_c2(%dy: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.LogSoftmaxGrad' op has axis -3, which is not a dimension of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.LogSoftmaxGrad %dy, %y {axis = -3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmaxcrossentropyloss_c1_rank(%s: tensor<3xf32>, %l: tensor<3xi64>) {
  // expected-error @+2 {{'onnx.SoftmaxCrossEntropyLoss' op needs scores of rank 2 or more, but it is 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l : (tensor<3xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3xf32>)
  return
}

// -----

func.func @softmaxcrossentropyloss_c1_labels(%s: tensor<2x3x4xf32>, %l: tensor<2x3xi64>) {
  // expected-error @+2 {{needs labels of shape [2, 4], but it is 'tensor<2x3xi64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> (tensor<f32>, tensor<2x3x4xf32>)
  return
}

// -----

func.func @softmaxcrossentropyloss_c2(%s: tensor<2x3xf32>, %l: tensor<2xi64>, %w: tensor<2xf32>) {
  // expected-error @+2 {{needs weights of type 'tensor<3xf32>', but it is 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l, %w : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> (tensor<f32>, tensor<2x3xf32>)
  return
}

// -----

func.func @softmaxcrossentropyloss_c3(%s: tensor<2x3xf32>, %l: tensor<2xi64>) {
  // expected-error @+2 {{has reduction 'average', which is not one of none, sum, mean}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l {reduction = "average"} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2x3xf32>)
  return
}

// -----

func.func @softmaxcrossentropylossgrad_c4(%dy: tensor<2xf32>, %p: tensor<2x3xf32>, %l: tensor<2xi64>) {
  // expected-error @+2 {{'onnx.SoftmaxCrossEntropyLossGrad' op needs dY of shape [], but it is 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.SoftmaxCrossEntropyLossGrad %dy, %p, %l : (tensor<2xf32>, tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batchnormalization_c1(%x: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.BatchNormalization' op needs X of rank 2 or more, but it is 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.BatchNormalization %x, %v, %v, %v, %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batchnormalization_c2(%x: tensor<?x3xf32>, %v: tensor<3xf32>, %m: tensor<4xf32>) {
  // expected-error @+2 {{'onnx.BatchNormalization' op needs input_mean of type 'tensor<3xf32>', but it is 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.BatchNormalization %x, %v, %v, %m, %v : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batchnorminternal_c3(%x: tensor<?x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{'onnx.BatchNormInternal' op needs both batch_mean and batch_var or neither}}
  %0:5 = onnx.BatchNormInternal %x, %v, %v, %v, %v mean %v : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batchnormalizationgrad_c1(%dy: tensor<?x4xf32>, %x: tensor<?x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.BatchNormalizationGrad' op needs dY and X of one shape, but they are 'tensor<?x4xf32>' and 'tensor<?x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.BatchNormalizationGrad %dy, %x, %v, %v, %v : (tensor<?x4xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batchnormalizationgrad_c3(%x: tensor<?x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{'onnx.BatchNormalizationGrad' op needs both mean_dy and mean_dy_xhat or neither}}
  %0:3 = onnx.BatchNormalizationGrad %x, %x, %v, %v, %v covariance %v : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batchvariance_c2(%x: tensor<?x3xf32>, %m: tensor<2xf32>) {
  // expected-error @+2 {{'onnx.BatchVariance' op needs mean of type 'tensor<3xf32>', but it is 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.BatchVariance %x, %m : (tensor<?x3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @batchcovariance_c1(%dy: tensor<4x3xf32>, %x: tensor<5x3xf32>, %m: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.BatchCovariance' op needs dY and X of one shape, but they are 'tensor<4x3xf32>' and 'tensor<5x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.BatchCovariance %dy, %x, %m, %m : (tensor<4x3xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}
