// RUN: dist-opt %s --train-expand-gradients --canonicalize --cse | FileCheck %s

// The step of an MLP layer: the loss seeds with one, gradients of the Gemm are Gemms again.
// CHECK-LABEL: func.func @linear_layer
// CHECK-SAME: %[[W:.*]]: tensor<10x64xf32>, %[[B:.*]]: tensor<10xf32>, %[[X:.*]]: tensor<?x64xf32>, %[[L:.*]]: tensor<?xi64>
func.func @linear_layer(%w: tensor<10x64xf32>, %b: tensor<10xf32>, %x: tensor<?x64xf32>, %l: tensor<?xi64>)
    -> (tensor<10x64xf32>, tensor<10xf32>) {
  // CHECK: %[[Y:.*]] = onnx.Gemm %[[X]], %[[W]], %[[B]]
  %y = onnx.Gemm %x, %w, %b {transB = 1 : i64} : (tensor<?x64xf32>, tensor<10x64xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: %[[LOSS:.*]], %[[LOG:.*]] = onnx.SoftmaxCrossEntropyLoss %[[Y]], %[[L]]
  %loss, %log = onnx.SoftmaxCrossEntropyLoss %y, %l : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x10xf32>)
  // CHECK: %[[ONE:.*]] = train.full_like %[[LOSS]], 1.0
  // CHECK: %[[DY:.*]] = onnx.SoftmaxCrossEntropyLossGrad %[[ONE]], %[[LOG]], %[[L]]
  // CHECK: %[[DW:.*]] = onnx.Gemm %[[DY]], %[[X]] {transA = 1 : i64}
  // CHECK: %[[DB:.*]] = onnx.ReduceSum %[[DY]] {axes = array<i64: 0>, keepdims = 0 : i64}
  // CHECK-NOT: train.gradient
  // CHECK: return %[[DW]], %[[DB]]
  %dw, %db = train.gradient %loss wrt %w, %b : tensor<f32> wrt tensor<10x64xf32>, tensor<10xf32>
  return %dw, %db : tensor<10x64xf32>, tensor<10xf32>
}

// Gradients that meet are added, last use first.
// CHECK-LABEL: func.func @two_uses_of_one_variable
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
func.func @two_uses_of_one_variable(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Exp %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.Log %a : (tensor<4xf32>) -> tensor<4xf32>
  %2 = onnx.Add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[E:.*]] = onnx.Exp
  // CHECK: %[[ONE:.*]] = train.full_like {{.*}}, 1.0
  // CHECK: %[[SECOND:.*]] = onnx.Div %[[ONE]], %[[A]]
  // CHECK: %[[FIRST:.*]] = onnx.Mul %[[ONE]], %[[E]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[SECOND]], %[[FIRST]]
  // CHECK: return %[[SUM]]
  %g = train.gradient %2 wrt %a : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// An operation that uses one value twice gives two gradients.
// CHECK-LABEL: func.func @square
func.func @square(%a: tensor<f32>) -> tensor<f32> {
  %0 = onnx.Mul %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: %[[ONE:.*]] = train.full_like
  // CHECK: %[[G:.*]] = onnx.Mul %[[ONE]], %arg0
  // CHECK: arith.addf %[[G]], %[[G]]
  %g = train.gradient %0 wrt %a : tensor<f32> wrt tensor<f32>
  return %g : tensor<f32>
}

// Only what lies between a variable and the value is differentiated: neither the custom operation before the
// data, nor the one after it, needs a gradient.
// CHECK-LABEL: func.func @operations_off_the_path_need_no_gradient
func.func @operations_off_the_path_need_no_gradient(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %data = onnx.custom "com.acme" "Prepare" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = onnx.Mul %w, %data : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %aside = onnx.custom "com.acme" "Look" (%0) : (tensor<4xf32>) -> tensor<4xf32>
  %g = train.gradient %0 wrt %w : tensor<4xf32> wrt tensor<4xf32>
  // CHECK: %[[DATA:.*]] = onnx.custom "com.acme" "Prepare"
  // CHECK: onnx.custom "com.acme" "Look"
  // CHECK: %[[G:.*]] = onnx.Mul %{{.*}}, %[[DATA]]
  // CHECK: return %[[G]]
  return %g, %aside : tensor<4xf32>, tensor<4xf32>
}

// A variable that another one is computed from gets nothing through it: variables are independent.
// CHECK-LABEL: func.func @variable_in_the_middle_cuts
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
func.func @variable_in_the_middle_cuts(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[H:.*]] = onnx.Exp %[[A]]
  %h = onnx.Exp %a : (tensor<4xf32>) -> tensor<4xf32>
  %y = onnx.Mul %h, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[ONE:.*]] = train.full_like
  // CHECK-DAG: %[[DH:.*]] = onnx.Mul %[[ONE]], %[[A]]
  // CHECK-DAG: %[[DA:.*]] = onnx.Mul %[[ONE]], %[[H]]
  // CHECK-NOT: arith.addf
  // CHECK: return %[[DA]], %[[DH]]
  %da, %dh = train.gradient %y wrt %a, %h : tensor<4xf32> wrt tensor<4xf32>, tensor<4xf32>
  return %da, %dh : tensor<4xf32>, tensor<4xf32>
}

// The value itself may be a variable.
// CHECK-LABEL: func.func @gradient_of_itself
func.func @gradient_of_itself(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[ONE:.*]] = train.full_like %{{.*}}, 1.0
  // CHECK: return %[[ONE]]
  %g = train.gradient %a wrt %a : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// Integers do not change a little: nothing flows through a cast to one.
// CHECK-LABEL: func.func @integers_carry_no_gradient
func.func @integers_carry_no_gradient(%a: tensor<4xf32>) -> tensor<4xf32> {
  %i = onnx.Cast %a {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
  %f = onnx.Cast %i {to = f32} : (tensor<4xi32>) -> tensor<4xf32>
  %y = onnx.Mul %f, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[F:.*]] = onnx.Cast %{{.*}} {to = f32}
  // CHECK: %[[G:.*]] = onnx.Mul %{{.*}}, %[[F]]
  // CHECK: return %[[G]]
  %g = train.gradient %y wrt %a : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// A gradient of a gradient: expanded in program order, through the additions that the first one inserted.
// CHECK-LABEL: func.func @second_derivative
func.func @second_derivative(%a: tensor<f32>) -> tensor<f32> {
  %0 = onnx.Mul %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = train.gradient %0 wrt %a : tensor<f32> wrt tensor<f32>
  // CHECK-NOT: train.gradient
  // CHECK: return
  %h = train.gradient %g wrt %a : tensor<f32> wrt tensor<f32>
  return %h : tensor<f32>
}

// Two gradients of one value: cse joins what they have in common.
// CHECK-LABEL: func.func @two_gradients_of_one_value
func.func @two_gradients_of_one_value(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = onnx.Mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.Tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-COUNT-1: onnx.TanhGrad
  // CHECK-NOT: onnx.TanhGrad
  // CHECK: return
  %da = train.gradient %1 wrt %a : tensor<4xf32> wrt tensor<4xf32>
  %db = train.gradient %1 wrt %b : tensor<4xf32> wrt tensor<4xf32>
  return %da, %db : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @program_without_gradients_stays
// CHECK-NEXT: onnx.Relu
// CHECK-NEXT: return
func.func @program_without_gradients_stays(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Relu %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
