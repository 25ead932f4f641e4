// Matrix products. Every float argument is differentiated unless it says `test.constant`; see ../GradientCase.h.

func.func @gemm(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = onnx.Gemm %a, %b, %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @gemm_without_c(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = onnx.Gemm %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @gemm_of_a_batch(%a: tensor<?x3xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = onnx.Gemm %a, %b, %c {transB = 1 : i64} : (tensor<?x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func @gemm_scaled_and_transposed(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %0 = onnx.Gemm %a, %b, %c {alpha = 5.000000e-01 : f32, beta = 2.000000e+00 : f32, transA = 1 : i64} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @gemm_both_transposed(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>, %c: tensor<f32>) -> tensor<2x4xf32> {
  %0 = onnx.Gemm %a, %b, %c {alpha = -1.500000e+00 : f32, transA = 1 : i64, transB = 1 : i64} : (tensor<3x2xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @matmul_of_batches(%a: tensor<2x2x3xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x2x4xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<2x2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  return %0 : tensor<2x2x4xf32>
}

func.func @matmul_broadcasts_batches(%a: tensor<2x1x2x3xf32>, %b: tensor<3x3x2xf32>) -> tensor<2x3x2x2xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<2x1x2x3xf32>, tensor<3x3x2xf32>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

func.func @matmul_of_a_batch_by_one_matrix(%a: tensor<?x2x3xf32>, %b: tensor<3x4xf32>) -> tensor<?x2x4xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<?x2x3xf32>, tensor<3x4xf32>) -> tensor<?x2x4xf32>
  return %0 : tensor<?x2x4xf32>
}

func.func @matmul_of_one_matrix_by_batches(%a: tensor<2x3xf32>, %b: tensor<2x3x2xf32>) -> tensor<2x2x2xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}

func.func @matmul_of_a_row(%a: tensor<3xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<3xf32>, tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @matmul_by_a_column(%a: tensor<2x2x3xf32>, %b: tensor<3xf32>) -> tensor<2x2xf32> {
  %0 = onnx.MatMul %a, %b : (tensor<2x2x3xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

func.func @matmul_of_vectors(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<f32> {
  %0 = onnx.MatMul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
