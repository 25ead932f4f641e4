// What is refused, and by wrong result types what is inferred.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @gather_gives_indices_in_place_of_the_axis(%t: tensor<5x6x7xf32>, %i: tensor<?x2xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<5x?x2x7xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gather %t, %i {axis = 1 : i64} : (tensor<5x6x7xf32>, tensor<?x2xi32>) -> tensor<f64>
  return
}

// -----
func.func @gather_of_one(%t: tensor<5x6xf32>, %i: tensor<i64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<6xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gather %t, %i : (tensor<5x6xf32>, tensor<i64>) -> tensor<f64>
  return
}

// -----
func.func @gather_c1(%t: tensor<5x6xf32>, %i: tensor<3xi64>) {
  // expected-error @+2 {{'onnx.Gather' op has axis 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Gather %t, %i {axis = 2 : i64} : (tensor<5x6xf32>, tensor<3xi64>) -> tensor<5x6x3xf32>
  return
}

// -----
func.func @concat_adds_sizes(%a: tensor<?x2xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Concat %a, %b {axis = 1 : i64} : (tensor<?x2xf32>, tensor<4x3xf32>) -> tensor<f64>
  return
}

// -----
func.func @concat_c1(%a: tensor<2xf32>) {
  // expected-error @+2 {{'onnx.Concat' op has axis 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Concat %a, %a {axis = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @concat_c2(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error @+2 {{'onnx.Concat' op cannot join 'tensor<2x3xf32>' and 'tensor<3x3xf32>' along dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return
}

// -----
func.func @concat_of_nothing() {
  // expected-error @+2 {{'onnx.Concat' op needs at least one operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "onnx.Concat"() {axis = 1 : i64} : () -> tensor<2xf32>
  return
}

// -----
func.func @split_c1(%x: tensor<4xf32>) {
  // expected-error @+2 {{'onnx.Split' op has axis -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Split %x {axis = -2 : i64, split = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @split_c2_other_sum(%x: tensor<4xf32>) {
  // expected-error @+2 {{'onnx.Split' op cannot cut dimension 0 of 'tensor<4xf32>' into parts of [2, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.Split %x {split = array<i64: 2, 1>} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return
}

// -----
func.func @split_c2_negative(%x: tensor<?xf32>) {
  // expected-error @+2 {{into parts of [2, -1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.Split %x {split = array<i64: 2, -1>} : (tensor<?xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return
}
