// Each constraint of the kernel dialect, broken.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1_too_few_inputs(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{kernel_c1: needs 2 inputs and 1 outputs, got 1 and 1}}
  %0 = kernel.matmul(%a) into(%a) {k = 2 : i64, m = 2 : i64, n = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @kernel_c1_too_many_inputs(%d: tensor<4xf32>, %r: tensor<f32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{kernel_c1: needs 2 to 3 inputs and 2 outputs, got 4 and 2}}
  %0:2 = kernel.dropout(%d, %r, %r, %r) into(%d, %m) {node = 1 : i64} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xi1>)
  return
}

// -----

func.func @kernel_c1_no_output(%a: memref<4xf32>) {
  // expected-error @+1 {{kernel_c1: needs 1 inputs and 1 outputs, got 1 and 0}}
  kernel.copy_blocks(%a) into() {bytes = 16 : i64} : (memref<4xf32>) -> ()
  return
}

// -----

func.func @kernel_c2_mixed(%a: tensor<4xf32>, %b: memref<4xf32>) {
  // expected-error @+1 {{kernel_c2: buffers must be all tensors or all memrefs}}
  kernel.copy_blocks(%a) into(%b) {bytes = 16 : i64} : (tensor<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @not_a_function_type(%a: memref<4xf32>) {
  // expected-error @+2 {{invalid kind of type specified}}
  kernel.copy_blocks(%a) into(%a) {bytes = 16 : i64}
    : memref<4xf32>
  return
}

// -----

func.func @lists_of_rows(%i: tensor<3xi64>, %r: tensor<3x2xf32>) {
  // expected-error @+1 {{has 1 lists of rows, but attributes of 2}}
  %0 = kernel.pull_rows(%i) into(%r) {nodes = ["a"], row_bytes = array<i64: 8>, table_rows = array<i64: 9, 9>, tables = array<i64: 0>} : (tensor<3xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @kernel_c1_as_many_outputs(%i: tensor<3xi64>, %r: tensor<3x2xf32>) {
  // expected-error @+1 {{kernel_c1: needs 1 to 4096 inputs and 2 outputs, got 2 and 1}}
  %0 = kernel.pull_rows(%i, %i) into(%r) {nodes = ["a", "b"], row_bytes = array<i64: 8, 8>, table_rows = array<i64: 9, 9>, tables = array<i64: 0, 1>} : (tensor<3xi64>, tensor<3xi64>) -> tensor<3x2xf32>
  return
}
