// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @flatten_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.Flatten' op has axis 3, which does not divide the dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Flatten %x {axis = 3 : i64} : (tensor<2x3xf32>) -> tensor<6x1xf32>
  return
}

// -----

func.func @reshape_c1_two_rests(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.Reshape' op cannot bring 'tensor<2x3xf32>' into shape [-1, -1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: -1, -1>} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_c1_below_minus_one(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{into shape [-2, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: -2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<6xf32>) {
  // expected-error @+2 {{cannot bring 'tensor<6xf32>' into shape [6, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: 6, 0>} : (tensor<6xf32>) -> tensor<6x1xf32>
  return
}

// -----

func.func @reshape_c3_static(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{cannot bring 'tensor<2x3xf32>' into shape [5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: 5>} : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c3_rest_does_not_come_out_even(%x: tensor<?x10xf32>) {
  // expected-error @+2 {{cannot bring 'tensor<?x10xf32>' into shape [0, 3, -1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: 0, 3, -1>} : (tensor<?x10xf32>) -> tensor<?x3x?xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.Transpose' op has perm [1, 1], which is not a permutation of the dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Transpose %x {perm = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<1x3xf32>) {
  // expected-error @+2 {{'onnx.Squeeze' op has axes [0, -2], which are not distinct dimensions of 'tensor<1x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Squeeze %x {axes = array<i64: 0, -2>} : (tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @squeeze_c2(%x: tensor<1x3xf32>) {
  // expected-error @+2 {{cannot drop dimension 1 of 'tensor<1x3xf32>', which is not 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Squeeze %x {axes = array<i64: 1>} : (tensor<1x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<3xf32>) {
  // expected-error @+2 {{'onnx.Unsqueeze' op has axes [2], which are not distinct dimensions of a tensor of rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Unsqueeze %x {axes = array<i64: 2>} : (tensor<3xf32>) -> tensor<3x1xf32>
  return
}

// -----

func.func @constant_c1() {
  // expected-error @+1 {{'onnx.Constant' op needs a value of ranked tensor type, but it is 'vector<2xf32>'}}
  %0 = onnx.Constant dense<0.0> : vector<2xf32>
  return
}

// -----

func.func @reducesum_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.ReduceSum' op has axes [2], which are not distinct dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ReduceSum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reducesumgrad_c2(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+2 {{'onnx.ReduceSumGrad' op needs dY of shape [1, 3], but it is 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ReduceSumGrad %dy, %x {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @randomnormal_c1() {
  // expected-error @+2 {{'onnx.RandomNormal' op draws floats, but dtype is 'i32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.RandomNormal {dtype = i32, shape = array<i64: 2>} : tensor<2xf32>
  return
}

// -----

func.func @randomuniform_c2() {
  // expected-error @+2 {{'onnx.RandomUniform' op has a negative dimension in shape [2, -1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.RandomUniform {shape = array<i64: 2, -1>} : tensor<2x?xf32>
  return
}

// -----

func.func @custom_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.custom' op needs the name of an operator}}
  %0 = onnx.custom "com.acme" "" (%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
