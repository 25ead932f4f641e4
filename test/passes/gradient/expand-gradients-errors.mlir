// RUN: dist-opt %s --train-expand-gradients --split-input-file --verify-diagnostics

func.func @operation_without_gradient(%w: tensor<4xf32> {train.variable = #train.variable<"fc.weight", trainable>}) -> tensor<4xf32> {
  // expected-error @+1 {{'com.acme.Swirl' has no gradient, but the gradient of variable 'fc.weight' passes through it}}
  %0 = onnx.custom "com.acme" "Swirl" (%w) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{the gradient is asked for here; Tutti has no definition of the operator: express it by operators that it has (docs/frontend.md), as nodes or as a function of the model (ModelProto.functions)}}
  %g = train.gradient %0 wrt %w : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A variable that is no argument of the program is named by its place.
func.func @nameless_variable(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = onnx.Exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{the gradient of variable number 0 of train.gradient passes through it}}
  %0 = onnx.custom "com.acme" "Swirl" (%w) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{asked for here}}
  %g = train.gradient %0 wrt %w : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A region that reads a variable is on the path too.
func.func @region_without_gradient(%w: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @+1 {{'scf.if' has no gradient}}
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = onnx.Exp %w : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  // expected-note @+1 {{asked for here}}
  %g = train.gradient %0 wrt %w : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @variable_that_does_not_matter(%w: tensor<4xf32>, %v: tensor<2xf32> {train.variable = #train.variable<"unused", trainable>}) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = onnx.Exp %w : (tensor<4xf32>) -> tensor<4xf32>
  // expected-warning @+1 {{variable 'unused' has no gradient: the value does not depend on it; zeros are used}}
  %g:2 = train.gradient %0 wrt %w, %v : tensor<4xf32> wrt tensor<4xf32>, tensor<2xf32>
  return %g#0, %g#1 : tensor<4xf32>, tensor<2xf32>
}

// -----

func.func @dropout_ratio(%x: tensor<4xf32>, %r: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'onnx.Dropout' op has no gradient for its ratio; only the data may depend on a variable}}
  %0:2 = onnx.Dropout %x ratio %r : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xi1>)
  %g = train.gradient %0#0 wrt %r : tensor<4xf32> wrt tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @loss_weights(%s: tensor<?x3xf32>, %l: tensor<?xi64>, %w: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'onnx.SoftmaxCrossEntropyLoss' op has no gradient for its weights; only the scores may depend on a variable}}
  %0:2 = onnx.SoftmaxCrossEntropyLoss %s, %l, %w : (tensor<?x3xf32>, tensor<?xi64>, tensor<3xf32>) -> (tensor<f32>, tensor<?x3xf32>)
  %g = train.gradient %0#0 wrt %w : tensor<f32> wrt tensor<3xf32>
  return %g : tensor<3xf32>
}

// -----

func.func @statistics_of_batch_normalization(%x: tensor<?x3xf32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  // expected-error @+1 {{'onnx.BatchNormalization' op has no gradient for its statistics; only Y may be differentiated}}
  %0:3 = onnx.BatchNormalization %x, %v, %v, %v, %v {training_mode = 1 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %g = train.gradient %0#1 wrt %x : tensor<3xf32> wrt tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}

// -----

func.func @given_statistics_of_batch_normalization(%x: tensor<?x3xf32>, %v: tensor<3xf32>, %m: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'onnx.BatchNormInternal' op has no gradient with respect to statistics that it is given}}
  %0:5 = onnx.BatchNormInternal %x, %v, %v, %v, %v mean %m variance %m : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %g = train.gradient %0#0 wrt %m : tensor<?x3xf32> wrt tensor<3xf32>
  return %g : tensor<3xf32>
}
