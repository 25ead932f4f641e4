// Arithmetic parse and print as their documentation shows.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @add
func.func @add(%a: tensor<?x10xf32>, %b: tensor<10xf32>) {
  // CHECK: onnx.Add %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %c = onnx.Add %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @sub
func.func @sub(%a: tensor<?x10xf32>, %b: tensor<f32>) {
  // CHECK: onnx.Sub %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %c = onnx.Sub %a, %b : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @mul
func.func @mul(%a: tensor<?x10xf32>, %b: tensor<?x1xf32>) {
  // CHECK: onnx.Mul %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
  %c = onnx.Mul %a, %b : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @div
func.func @div(%a: tensor<?x10xf32>, %b: tensor<10xf32>) {
  // CHECK: onnx.Div %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %c = onnx.Div %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @pow
func.func @pow(%x: tensor<?x10xf32>, %two: tensor<f32>) {
  // CHECK: onnx.Pow %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %z = onnx.Pow %x, %two : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @sum
func.func @sum(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  // CHECK: onnx.Sum %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = onnx.Sum %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @neg
func.func @neg(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Neg %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Neg %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @sqrt
func.func @sqrt(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Sqrt %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Sqrt %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @exp
func.func @exp(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Exp %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Exp %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @log
func.func @log(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Log %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Log %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @erf
func.func @erf(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Erf %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Erf %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @relu
func.func @relu(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Relu %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Relu %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @sigmoid
func.func @sigmoid(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Sigmoid %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Sigmoid %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @tanh
func.func @tanh(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Tanh %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = onnx.Tanh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return
}

// CHECK-LABEL: func.func @cast
func.func @cast(%x: tensor<?x10xf32>) {
  // CHECK: onnx.Cast %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x10xf32>) -> tensor<?x10xf16>
  %y = onnx.Cast %x {to = f16} : (tensor<?x10xf32>) -> tensor<?x10xf16>
  return
}

// CHECK-LABEL: func.func @mat_mul
func.func @mat_mul(%a: tensor<?x8x64xf32>, %b: tensor<64x10xf32>) {
  // CHECK: onnx.MatMul %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x8x64xf32>, tensor<64x10xf32>) -> tensor<?x8x10xf32>
  %y = onnx.MatMul %a, %b : (tensor<?x8x64xf32>, tensor<64x10xf32>) -> tensor<?x8x10xf32>
  return
}

// CHECK-LABEL: func.func @gemm
func.func @gemm(%x: tensor<?x64xf32>, %w: tensor<10x64xf32>, %b: tensor<10xf32>) {
  // CHECK: onnx.Gemm %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}
  // CHECK-SAME: : (tensor<?x64xf32>, tensor<10x64xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %y = onnx.Gemm %x, %w, %b {transB = 1 : i64} : (tensor<?x64xf32>, tensor<10x64xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return
}
