// Each result type is wrong on purpose, so that the message shows the inferred one.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_of_unknown_and_static(%a: tensor<?x1x4xf32>, %b: tensor<3x1xf32>) {
  // expected-error @+2 {{'onnx.Add' op inferred type(s) 'tensor<?x3x4xf32>' are incompatible with return type(s) of operation 'tensor<f64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Add %a, %b : (tensor<?x1x4xf32>, tensor<3x1xf32>) -> tensor<f64>
  return
}

// -----

func.func @unknown_meets_one_and_stays(%a: tensor<?xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Sub %a, %b : (tensor<?xf32>, tensor<1xf32>) -> tensor<f64>
  return
}

// -----

func.func @unknown_meets_static_and_takes_it(%a: tensor<?xf32>, %b: tensor<8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Mul %a, %b : (tensor<?xf32>, tensor<8xf32>) -> tensor<f64>
  return
}

// -----

func.func @empty_dimension_broadcasts(%a: tensor<0x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<0x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Div %a, %b : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @power_has_the_type_of_the_base(%a: tensor<?x2xf32>, %b: tensor<i64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Pow %a, %b : (tensor<?x2xf32>, tensor<i64>) -> tensor<f64>
  return
}

// -----

func.func @sum_of_three(%a: tensor<4x1xf32>, %b: tensor<3xf32>, %c: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Sum %a, %b, %c : (tensor<4x1xf32>, tensor<3xf32>, tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @cast_keeps_the_shape(%a: tensor<?x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Cast %a {to = i1} : (tensor<?x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @matmul_broadcasts_batches(%a: tensor<?x1x2x3xf32>, %b: tensor<5x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5x2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<?x1x2x3xf32>, tensor<5x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @matmul_of_row(%a: tensor<3xf32>, %b: tensor<?x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<3xf32>, tensor<?x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @matmul_by_column(%a: tensor<?x2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<?x2x3xf32>, tensor<3xf32>) -> tensor<f64>
  return
}

// -----

func.func @matmul_of_vectors(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.MatMul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f64>
  return
}

// -----

func.func @gemm_transposed(%a: tensor<8x?xf32>, %b: tensor<4x8xf32>, %c: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64} : (tensor<8x?xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @gemm_without_c(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gemm %a, %b : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<f64>
  return
}
