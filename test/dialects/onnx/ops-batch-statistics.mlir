// Batch statistics parse and print as their documentation shows.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @batch_norm_internal
func.func @batch_norm_internal(%x: tensor<?x16x8x8xf32>, %scale: tensor<16xf32>, %b: tensor<16xf32>, %mean: tensor<16xf32>, %var: tensor<16xf32>) {
  // CHECK: onnx.BatchNormInternal %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  %y, %rm, %rv, %m, %s = onnx.BatchNormInternal %x, %scale, %b, %mean, %var : (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// CHECK-LABEL: func.func @batch_normalization_grad
func.func @batch_normalization_grad(%dy: tensor<?x16x8x8xf32>, %x: tensor<?x16x8x8xf32>, %scale: tensor<16xf32>, %m: tensor<16xf32>, %s: tensor<16xf32>) {
  // CHECK: onnx.BatchNormalizationGrad %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
  %dx, %dscale, %db = onnx.BatchNormalizationGrad %dy, %x, %scale, %m, %s : (tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// CHECK-LABEL: func.func @batch_mean
func.func @batch_mean(%x: tensor<?x16x8x8xf32>) {
  // CHECK: onnx.BatchMean %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>) -> tensor<16xf32>
  %m = onnx.BatchMean %x : (tensor<?x16x8x8xf32>) -> tensor<16xf32>
  return
}

// CHECK-LABEL: func.func @batch_variance
func.func @batch_variance(%x: tensor<?x16x8x8xf32>, %m: tensor<16xf32>) {
  // CHECK: onnx.BatchVariance %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v = onnx.BatchVariance %x, %m : (tensor<?x16x8x8xf32>, tensor<16xf32>) -> tensor<16xf32>
  return
}

// CHECK-LABEL: func.func @batch_covariance
func.func @batch_covariance(%dy: tensor<?x16x8x8xf32>, %x: tensor<?x16x8x8xf32>, %m: tensor<16xf32>, %s: tensor<16xf32>) {
  // CHECK: onnx.BatchCovariance %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %c = onnx.BatchCovariance %dy, %x, %m, %s : (tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return
}
