// RUN: dist-opt %s --train-expand-gradients --canonicalize | FileCheck %s

// In training the normalization becomes the one that saves its statistics, and its gradient uses them.
// CHECK-LABEL: func.func @batch_normalization_in_training
func.func @batch_normalization_in_training(%x: tensor<?x3x2x2xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>)
    -> (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK-NOT: onnx.BatchNormalization %
  // CHECK: %[[Y:.*]], %[[RM:.*]], %{{.*}}, %[[MEAN:.*]], %[[INV:.*]] = onnx.BatchNormInternal
  %y, %rm, %rv = onnx.BatchNormalization %x, %s, %b, %m, %v {epsilon = 1.000000e-03 : f32, training_mode = 1 : i64}
     : (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK-SAME: {epsilon = 1.000000e-03 : f32}
  // CHECK: %[[DX:.*]], %[[DS:.*]], %[[DB:.*]] = onnx.BatchNormalizationGrad %{{.*}}, %{{.*}}, %{{.*}}, %[[MEAN]], %[[INV]]
  // CHECK: return %[[DX]], %[[DS]], %[[DB]], %[[RM]]
  %g:3 = train.gradient %y wrt %x, %s, %b : tensor<?x3x2x2xf32> wrt tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>
  return %g#0, %g#1, %g#2, %rm : tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// A layer that is used twice goes on with the running statistics of its first use, through which no gradient passes.
// CHECK-LABEL: func.func @batch_normalization_used_twice
func.func @batch_normalization_used_twice(%x: tensor<?x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  // CHECK: %[[Y:.*]], %[[RM:.*]], %[[RV:.*]], %{{.*}}, %{{.*}} = onnx.BatchNormInternal %arg0, %arg1, %arg2, %arg3, %arg4
  %y, %rm, %rv = onnx.BatchNormalization %x, %s, %b, %m, %v {training_mode = 1 : i64}
     : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: onnx.BatchNormInternal %[[Y]], %arg1, %arg2, %[[RM]], %[[RV]]
  %z, %rm2, %rv2 = onnx.BatchNormalization %y, %s, %b, %rm, %rv {training_mode = 1 : i64}
     : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: %[[DY:.*]], %{{.*}}, %{{.*}} = onnx.BatchNormalizationGrad
  // CHECK: %[[DX:.*]], %{{.*}}, %{{.*}} = onnx.BatchNormalizationGrad %[[DY]]
  // CHECK: return %[[DX]]
  %g = train.gradient %z wrt %x : tensor<?x3xf32> wrt tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @batch_normalization_in_inference_is_linear
func.func @batch_normalization_in_inference_is_linear(%x: tensor<?x3x2x2xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<?x3x2x2xf32> {
  // CHECK: onnx.BatchNormalization %
  // CHECK: onnx.Unsqueeze %{{.*}} {axes = array<i64: 1, 2>} : (tensor<3xf32>) -> tensor<3x1x1xf32>
  // CHECK-NOT: onnx.BatchNormalizationGrad
  // CHECK: return
  %y:3 = onnx.BatchNormalization %x, %s, %m, %m, %v : (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %g = train.gradient %y#0 wrt %x : tensor<?x3x2x2xf32> wrt tensor<?x3x2x2xf32>
  return %g : tensor<?x3x2x2xf32>
}

// The attributes of a window go with it.
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<?x4x9x9xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> (tensor<6x2x3x3xf32>, tensor<6xf32>) {
  %y = onnx.Conv %x, %w, %b {dilations = array<i64: 2, 2>, group = 2 : i64, pads = array<i64: 1, 1, 2, 2>, strides = array<i64: 2, 1>}
     : (tensor<?x4x9x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<?x6x4x8xf32>
  // CHECK: %{{.*}}, %[[DW:.*]], %[[DB:.*]] = onnx.ConvGrad
  // CHECK-SAME: dilations = array<i64: 2, 2>, group = 2 : i64, pads = array<i64: 1, 1, 2, 2>, strides = array<i64: 2, 1>
  // CHECK: return %[[DW]], %[[DB]]
  %g:2 = train.gradient %y wrt %w, %b : tensor<?x6x4x8xf32> wrt tensor<6x2x3x3xf32>, tensor<6xf32>
  return %g#0, %g#1 : tensor<6x2x3x3xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @pools
func.func @pools(%x: tensor<?x4x9x9xf32>) -> tensor<?x4x9x9xf32> {
  %a = onnx.MaxPool %x {ceil_mode = 1 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x4x9x9xf32>) -> tensor<?x4x5x5xf32>
  %b = onnx.AveragePool %a {count_include_pad = 1 : i64, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<?x4x5x5xf32>) -> tensor<?x4x5x5xf32>
  %c = onnx.GlobalAveragePool %b : (tensor<?x4x5x5xf32>) -> tensor<?x4x1x1xf32>
  // CHECK: onnx.ReduceMeanGrad %{{.*}} {axes = array<i64: 2, 3>}
  // CHECK: onnx.AveragePoolGrad %{{.*}} {count_include_pad = 1 : i64, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}
  // CHECK: onnx.MaxPoolGrad %{{.*}} {ceil_mode = 1 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
  %g = train.gradient %c wrt %x : tensor<?x4x1x1xf32> wrt tensor<?x4x9x9xf32>
  return %g : tensor<?x4x9x9xf32>
}

// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<?x4xf32>, %r: tensor<f32>, %t: tensor<i1>) -> tensor<?x4xf32> {
  // CHECK: %{{.*}}, %[[MASK:.*]] = onnx.Dropout
  %y:2 = onnx.Dropout %x ratio %r training %t : (tensor<?x4xf32>, tensor<f32>, tensor<i1>) -> (tensor<?x4xf32>, tensor<?x4xi1>)
  // CHECK: onnx.DropoutGrad %{{.*}}, %[[MASK]] ratio %{{.*}} training %{{.*}}
  %g = train.gradient %y#0 wrt %x : tensor<?x4xf32> wrt tensor<?x4xf32>
  return %g : tensor<?x4xf32>
}

// The rectifier's own result says where it was on.
// CHECK-LABEL: func.func @relu
func.func @relu(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[Y:.*]] = onnx.Relu
  // CHECK: onnx.ReluGrad %{{.*}}, %[[Y]]
  %y = onnx.Relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %g = train.gradient %y wrt %x : tensor<?x4xf32> wrt tensor<?x4xf32>
  return %g : tensor<?x4xf32>
}

// Both results of the loss may be differentiated.
// CHECK-LABEL: func.func @loss_and_log_probabilities
func.func @loss_and_log_probabilities(%s: tensor<?x3xf32>, %l: tensor<?xi64>) -> tensor<?x3xf32> {
  %loss, %log = onnx.SoftmaxCrossEntropyLoss %s, %l {ignore_index = -1 : i64, reduction = "sum"} : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
  %mean = onnx.ReduceMean %log {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
  %total = onnx.Add %loss, %mean : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: %[[FIRST:.*]] = onnx.SoftmaxCrossEntropyLossGrad {{.*}} {ignore_index = -1 : i64, reduction = "sum"}
  // CHECK: %[[SECOND:.*]] = onnx.LogSoftmaxGrad {{.*}} {axis = 1 : i64}
  // CHECK: onnx.Add %[[FIRST]], %[[SECOND]]
  %g = train.gradient %total wrt %s : tensor<f32> wrt tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}
