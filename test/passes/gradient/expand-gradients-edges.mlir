// What gradients are made of so that they are right at kinks, ties and zeros, and what needs no care; numbers are checked in
// test/equivalence/edges.
// RUN: dist-opt %s --train-expand-gradients --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @equal_operands_get_one_half
func.func @equal_operands_get_one_half(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[TIE:.*]] = onnx.Equal %arg0, %arg1
  // CHECK: %[[HALF:.*]] = onnx.Mul %[[DY:.*]], %{{.*}}
  // CHECK: %[[SHARE:.*]] = onnx.Where %[[TIE]], %[[HALF]], %[[DY]]
  // CHECK: %[[LOSES:.*]] = onnx.Less %arg0, %arg1
  // CHECK: %[[DA:.*]] = onnx.Where %[[LOSES]], %{{.*}}, %[[SHARE]]
  // CHECK: return %[[DA]]
  %0 = onnx.Max %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = train.gradient %0 wrt %a : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// CHECK-LABEL: func.func @norm
func.func @norm(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[Y:.*]] = onnx.Sqrt
  // CHECK: %[[SLOPE:.*]] = onnx.Div %{{.*}}, %[[Y]]
  // CHECK: %[[ISZERO:.*]] = onnx.Equal %[[Y]], %{{.*}}
  // CHECK: onnx.Where %[[ISZERO]], %{{.*}}, %[[SLOPE]]
  %0 = onnx.Mul %x, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = onnx.ReduceSum %0 {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %2 = onnx.Sqrt %1 : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %g = train.gradient %2 wrt %x : tensor<3x1xf32> wrt tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}

// A deviation: a mean of squares times one number, in another shape.
// CHECK-LABEL: func.func @deviation
func.func @deviation(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: onnx.Where
  %c = onnx.Constant dense<1.25> : tensor<f32>
  %c2 = onnx.Constant dense<2.0> : tensor<f32>
  %0 = onnx.Pow %x, %c2 : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %1 = onnx.ReduceMean %0 {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %2 = onnx.Squeeze %1 {axes = array<i64: 1>} : (tensor<3x1xf32>) -> tensor<3xf32>
  %3 = onnx.Mul %2, %c : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %4 = onnx.Sqrt %3 : (tensor<3xf32>) -> tensor<3xf32>
  %g = train.gradient %4 wrt %x : tensor<3xf32> wrt tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}

// A normalization adds something, and its root has no corner.
// CHECK-LABEL: func.func @root_that_needs_no_care
func.func @root_that_needs_no_care(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK-NOT: onnx.Where
  // CHECK: return
  %e = onnx.Constant dense<1.0e-5> : tensor<f32>
  %0 = onnx.Mul %x, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = onnx.ReduceMean %0 {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %2 = onnx.Add %1, %e : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %3 = onnx.Sqrt %2 : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %g = train.gradient %3 wrt %x : tensor<3x1xf32> wrt tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @power_that_needs_no_care
func.func @power_that_needs_no_care(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: onnx.Where
  // CHECK: return
  %e = onnx.Constant dense<-1.5> : tensor<f32>
  %0 = onnx.Pow %x, %e : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g = train.gradient %0 wrt %x : tensor<4xf32> wrt tensor<4xf32>
  return %g : tensor<4xf32>
}

// An exponent that is not known may be 0.
// CHECK-LABEL: func.func @power
func.func @power(%x: tensor<4xf32>, %e: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  // CHECK-DAG: %[[NONE:.*]] = onnx.Equal %arg1, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  // CHECK-DAG: %[[DX:.*]] = onnx.Where %[[NONE]], %{{.*}}, %{{.*}} -> tensor<4xf32>
  // CHECK-DAG: %[[LOG:.*]] = onnx.Log %arg0
  // CHECK-DAG: %[[SLOPE:.*]] = onnx.Mul %{{.*}}, %[[LOG]]
  // CHECK-DAG: %[[DE:.*]] = onnx.ReduceSum {{.*}} -> tensor<f32>
  // CHECK: return %[[DX]], %[[DE]]
  %0 = onnx.Pow %x, %e : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g:2 = train.gradient %0 wrt %x, %e : tensor<4xf32> wrt tensor<4xf32>, tensor<f32>
  return %g#0, %g#1 : tensor<4xf32>, tensor<f32>
}

// An exponent of another type has a gradient of that type.
// CHECK-LABEL: func.func @wide_exponent
func.func @wide_exponent(%x: tensor<4xf32>, %e: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: %[[G:.*]] = onnx.Cast %{{.*}} {to = f64}
  // CHECK: return %[[G]]
  %0 = onnx.Pow %x, %e : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  %g = train.gradient %0 wrt %e : tensor<4xf32> wrt tensor<4xf64>
  return %g : tensor<4xf64>
}

// Nothing is divided by a factor that is 0.
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[ISZERO:.*]] = onnx.Equal %arg0
  // CHECK: %[[FACTORS:.*]] = onnx.Where %[[ISZERO]], %{{.*}}, %arg0
  // CHECK: onnx.ReduceProd %[[FACTORS]]
  // CHECK: onnx.Div %{{.*}}, %[[FACTORS]]
  %0 = onnx.ReduceProd %x {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %g = train.gradient %0 wrt %x : tensor<3x1xf32> wrt tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}
