// Each constraint of the kernel dialect, broken.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @call_c1_unknown_kernel(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{call_c1: 'tutti_magic' is not a kernel of the runtime; there are tutti_matmul}}
  %0 = kernel.call "tutti_magic"(%a) into(%a) {parameters = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @call_c1_collective(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{call_c1: 'tutti_all_reduce' is not a kernel of the runtime}}
  %0 = kernel.call "tutti_all_reduce"(%a) into(%a) {parameters = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @call_c2_mixed(%a: tensor<4xf32>, %b: memref<4xf32>) {
  // expected-error @+1 {{call_c2: buffers must be all tensors or all memrefs}}
  kernel.call "tutti_pool"(%a) into(%b) {parameters = array<i64>} : (tensor<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @call_c4_no_output(%a: memref<4xf32>) {
  // expected-error @+1 {{call_c4: needs at least one output}}
  kernel.call "tutti_pool"(%a) into() {parameters = array<i64>} : (memref<4xf32>) -> ()
  return
}

// -----

func.func @not_a_function_type(%a: memref<4xf32>) {
  // expected-error @+2 {{invalid kind of type specified}}
  kernel.call "tutti_pool"(%a) into(%a) {parameters = array<i64>}
    : memref<4xf32>
  return
}
