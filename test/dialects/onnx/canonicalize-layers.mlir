// RUN: dist-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @batch_normalization_in_training_saves_statistics
// CHECK: %[[Y:.*]], %[[RM:.*]], %{{.*}}, %{{.*}}, %{{.*}} = onnx.BatchNormInternal %arg0, %arg1, %arg1, %arg1, %arg1 {momentum = 8.000000e-01 : f32}
// CHECK: return %[[Y]], %[[RM]]
func.func @batch_normalization_in_training_saves_statistics(%x: tensor<?x3xf32>, %v: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %0:3 = onnx.BatchNormalization %x, %v, %v, %v, %v {momentum = 8.000000e-01 : f32, training_mode = 1 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<?x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @batch_normalization_in_inference_keeps_statistics
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = onnx.BatchNormalization
// CHECK: return %[[Y]], %arg2, %arg3
func.func @batch_normalization_in_inference_keeps_statistics(%x: tensor<?x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = onnx.BatchNormalization %x, %s, %s, %m, %v : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// What is left of a synchronised normalization on one rank is the plain one.
// CHECK-LABEL: func.func @own_statistics_are_dropped
// CHECK-NEXT: onnx.BatchNormInternal %arg0, %arg1, %arg1, %arg1, %arg1 :
func.func @own_statistics_are_dropped(%x: tensor<?x3xf32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  %mean = onnx.BatchMean %x : (tensor<?x3xf32>) -> tensor<3xf32>
  %var = onnx.BatchVariance %x, %mean : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %0:5 = onnx.BatchNormInternal %x, %v, %v, %v, %v mean %mean variance %var : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @statistics_of_another_tensor_stay
// CHECK: onnx.BatchNormInternal {{.*}} mean %{{.*}} variance %{{.*}} :
func.func @statistics_of_another_tensor_stay(%x: tensor<?x3xf32>, %z: tensor<?x3xf32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  %mean = onnx.BatchMean %x : (tensor<?x3xf32>) -> tensor<3xf32>
  %var = onnx.BatchVariance %z, %mean : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %0:5 = onnx.BatchNormInternal %x, %v, %v, %v, %v mean %mean variance %var : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @own_statistics_of_a_gradient_are_dropped
// CHECK-NEXT: onnx.BatchNormalizationGrad %arg0, %arg1, %arg2, %arg3, %arg3 :
func.func @own_statistics_of_a_gradient_are_dropped(%dy: tensor<?x3xf32>, %x: tensor<?x3xf32>, %s: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  %mean = onnx.BatchMean %dy : (tensor<?x3xf32>) -> tensor<3xf32>
  %cov = onnx.BatchCovariance %dy, %x, %v, %v : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %0:3 = onnx.BatchNormalizationGrad %dy, %x, %s, %v, %v mean %mean covariance %cov : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @other_statistics_of_a_gradient_stay
// CHECK: onnx.BatchNormalizationGrad {{.*}} mean %{{.*}} covariance %{{.*}} :
func.func @other_statistics_of_a_gradient_stay(%dy: tensor<?x3xf32>, %x: tensor<?x3xf32>, %s: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  %mean = onnx.BatchMean %dy : (tensor<?x3xf32>) -> tensor<3xf32>
  %cov = onnx.BatchCovariance %dy, %x, %s, %v : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %0:3 = onnx.BatchNormalizationGrad %dy, %x, %s, %v, %v mean %mean covariance %cov : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<?x3xf32>
}

// Statistics enter the gradient of X only, which a first layer does not ask for.
// CHECK-LABEL: func.func @statistics_without_a_gradient_of_x_are_dropped
// CHECK-NEXT: onnx.BatchNormalizationGrad %arg0, %arg1, %arg2, %arg3, %arg3 :
func.func @statistics_without_a_gradient_of_x_are_dropped(%dy: tensor<?x3xf32>, %x: tensor<?x3xf32>, %s: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:3 = onnx.BatchNormalizationGrad %dy, %x, %s, %v, %v mean %s covariance %v : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @dropout_outside_training
// CHECK-NEXT: return %arg0, %arg0
func.func @dropout_outside_training(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %false = onnx.Constant dense<false> : tensor<i1>
  %0:2 = onnx.Dropout %x training %false : (tensor<?x3xf32>, tensor<i1>) -> (tensor<?x3xf32>, tensor<?x3xi1>)
  %1:2 = onnx.Dropout %x : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xi1>)
  return %0#0, %1#0 : tensor<?x3xf32>, tensor<?x3xf32>
}

// CHECK-LABEL: func.func @dropout_of_nothing_has_a_mask
// CHECK-NEXT: %[[MASK:.*]] = onnx.Constant dense<true> : tensor<2x3xi1>
// CHECK-NEXT: return %arg0, %[[MASK]]
func.func @dropout_of_nothing_has_a_mask(%x: tensor<2x3xf32>, %t: tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %0:2 = onnx.Dropout %x ratio %zero training %t : (tensor<2x3xf32>, tensor<f32>, tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi1>
}

// CHECK-LABEL: func.func @dropout_in_training_stays
// CHECK: onnx.Dropout
func.func @dropout_in_training_stays(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %true = onnx.Constant dense<true> : tensor<i1>
  %0:2 = onnx.Dropout %x training %true : (tensor<2x3xf32>, tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return %0#0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gradient_of_no_dropout
// CHECK-NEXT: return %arg0
func.func @gradient_of_no_dropout(%dy: tensor<?x3xf32>, %m: tensor<?x3xi1>) -> tensor<?x3xf32> {
  %0 = onnx.DropoutGrad %dy, %m : (tensor<?x3xf32>, tensor<?x3xi1>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
