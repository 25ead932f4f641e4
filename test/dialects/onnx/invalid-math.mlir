// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%a: tensor<?x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{'onnx.Add' op cannot broadcast shapes [?, 3] and [4] to one shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Add %a, %b : (tensor<?x3xf32>, tensor<4xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @sub_c2(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error @+2 {{'onnx.Sub' op needs operands of one element type, but has 'tensor<3xf32>' and 'tensor<3xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Sub %a, %b : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @pow_c1(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error @+2 {{'onnx.Pow' op cannot broadcast shapes [2, 3] and [2] to one shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Pow %a, %b : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sum_c1(%a: tensor<2xf32>, %b: tensor<1xf32>, %c: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.Sum' op cannot broadcast shapes [2] and [3] to one shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Sum %a, %b, %c : (tensor<2xf32>, tensor<1xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_c2(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @+2 {{'onnx.Sum' op needs operands of one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Sum %a, %b : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_c3() {
  // expected-error @+2 {{'onnx.Sum' op needs at least one operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Sum : () -> tensor<2xf32>
  return
}

// -----

func.func @cast_c1(%a: tensor<2xf32>) {
  // expected-error @+2 {{'onnx.Cast' op casts to a float, integer or bool type, not to 'index'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Cast %a {to = index} : (tensor<2xf32>) -> tensor<2xindex>
  return
}

// -----

func.func @matmul_c1(%a: tensor<f32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.MatMul' op needs A of rank 1 or more, but it is 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+2 {{needs as many columns of A as rows of B, but they are 'tensor<2x3xf32>' and 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<7x2x3xf32>, %b: tensor<6x3x5xf32>) {
  // expected-error @+2 {{cannot broadcast the batch dimensions of 'tensor<7x2x3xf32>' and 'tensor<6x3x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<7x2x3xf32>, tensor<6x3x5xf32>) -> tensor<7x2x5xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<2x3xf32>, %b: tensor<3x5xf16>) {
  // expected-error @+2 {{'onnx.MatMul' op needs operands of one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<3x5xf16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @gemm_c1(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+2 {{'onnx.Gemm' op needs A of rank 2, but it is 'tensor<2x3x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gemm %a, %b : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @gemm_c2(%a: tensor<3x2xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+2 {{needs as many columns of A^T as rows of B, but A and B are 'tensor<3x2xf32>' and 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gemm %a, %b {transA = 1 : i64} : (tensor<3x2xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

// A wider C would make the result wider, which Gemm does not do.
func.func @gemm_c3(%a: tensor<1x2xf32>, %b: tensor<2x5xf32>, %c: tensor<3x5xf32>) {
  // expected-error @+2 {{cannot broadcast C of type 'tensor<3x5xf32>' to the result's shape [1, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gemm %a, %b, %c : (tensor<1x2xf32>, tensor<2x5xf32>, tensor<3x5xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @gemm_c4(%a: tensor<1x2xf32>, %b: tensor<2x5xf32>, %c: tensor<5xf64>) {
  // expected-error @+2 {{'onnx.Gemm' op needs operands of one element type, but has 'tensor<1x2xf32>' and 'tensor<5xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gemm %a, %b, %c : (tensor<1x2xf32>, tensor<2x5xf32>, tensor<5xf64>) -> tensor<1x5xf32>
  return
}

// -----

func.func @activation_gradient_c1(%dy: tensor<2x3xf32>, %x: tensor<2x4xf32>) {
  // expected-error @+2 {{'onnx.ReluGrad' op needs dY and X of one shape, but they are 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ReluGrad %dy, %x : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}
