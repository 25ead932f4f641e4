// Each result type is wrong on purpose, so that the message shows the inferred one.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @flatten_at_the_end(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<24x1xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Flatten %x {axis = 3 : i64} : (tensor<2x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @flatten_counts_from_the_end(%x: tensor<?x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Flatten %x {axis = -1 : i64} : (tensor<?x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @copied_batch_cancels_out(%x: tensor<?x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x12xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: 0, -1>} : (tensor<?x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @rest_holds_the_batch(%x: tensor<?x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2x6xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: -1, 2, 6>} : (tensor<?x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @rest_of_a_static_shape(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x6xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: 4, -1>} : (tensor<2x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @zero_is_a_size_if_allowed(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<5x0xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {allowzero = 1 : i64, shape = array<i64: 5, 0>} : (tensor<0x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @fixed_batch_for_an_unknown_one(%x: tensor<?x12xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Reshape %x {shape = array<i64: 2, 3, 4>} : (tensor<?x12xf32>) -> tensor<f64>
  return
}

// -----

func.func @transpose_reverses(%x: tensor<?x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x3x?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Transpose %x : (tensor<?x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @squeeze_drops_every_one(%x: tensor<?x1x4x1xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Squeeze %x : (tensor<?x1x4x1xf32>) -> tensor<f64>
  return
}

// -----

func.func @squeeze_of_an_unknown_dimension(%x: tensor<?x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Squeeze %x {axes = array<i64: -2>} : (tensor<?x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @unsqueeze_counts_in_the_result(%x: tensor<?x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x?x4x1xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.Unsqueeze %x {axes = array<i64: -1, 0>} : (tensor<?x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @reduction_drops_dimensions(%x: tensor<?x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ReduceSum %x {axes = array<i64: -1, 0>, keepdims = 0 : i64} : (tensor<?x3x4xf32>) -> tensor<f64>
  return
}

// -----

func.func @reduction_over_everything(%x: tensor<?x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x1xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ReduceMean %x : (tensor<?x3xf32>) -> tensor<f64>
  return
}

// -----

func.func @reduction_over_nothing(%x: tensor<?x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = onnx.ReduceMean %x {noop_with_empty_axes = 1 : i64} : (tensor<?x3xf32>) -> tensor<f64>
  return
}
