// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @rnn_c1_rank_of_x(%x: tensor<5x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{'onnx.RNN' op needs X of rank 3, but it is 'tensor<5x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c1_r_is_static(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x?x4xf32>) {
  // expected-error @+2 {{needs R of static shape, but it is 'tensor<1x?x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x?x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c1_one_type(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf64>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{needs operands of one element type, but has 'tensor<5x2x3xf32>' and 'tensor<1x4x3xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x4x3xf64>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c2_direction(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{has direction 'backward', but needs forward, reverse or bidirectional}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {direction = "backward"} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c2_layout(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{has layout 2, but needs 0 or 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {layout = 2 : i64} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c3_hidden_size(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{has hidden_size 5, but R is 'tensor<1x4x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {hidden_size = 5 : i64} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c3_inputs(%x: tensor<5x2x3xf32>, %w: tensor<1x4x7xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{needs as many columns of W as X has inputs, but they are 'tensor<1x4x7xf32>' and 'tensor<5x2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x4x7xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c3_directions(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{needs W of shape [2, 4, 3], but it is 'tensor<1x4x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {direction = "bidirectional"} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c3_gates(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @+2 {{needs R of shape [1, 4, 4], but it is 'tensor<1x12x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c4_bias(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %b: tensor<1x4xf32>) {
  // expected-error @+2 {{needs B of shape [1, 8], but it is 'tensor<1x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r bias %b : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c5_lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %n: tensor<5xi32>) {
  // expected-error @+2 {{needs sequence_lens of shape [2], but it is 'tensor<5xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r lengths %n : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<5xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c5_initial_state(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %h: tensor<2x1x4xf32>) {
  // expected-error @+2 {{needs initial_h of shape [1, 2, 4], but it is 'tensor<2x1x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r from %h : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<2x1x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c6_unknown(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{has the activation 'Swish', which is not one of the standard's}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {activations = ["Swish"]} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c6_too_many(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{has 3 activations, but needs 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {activations = ["Tanh", "Relu", "Tanh"]} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c6_numbers(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{has more numbers in activation_alpha or activation_beta than its activations take}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {activation_alpha = array<f32: 0.5>, activations = ["Tanh"]} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c7_clip(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{needs a clip above 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = onnx.RNN %x, %w, %r {clip = 0.0 : f32} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c2_peepholes(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %p: tensor<1x16xf32>) {
  // expected-error @+2 {{needs P of shape [1, 12], but it is 'tensor<1x16xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = onnx.LSTM %x, %w, %r peepholes %p : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnngrad_c1_incoming(%dy: tensor<5x2x4xf32>, %x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{needs dY of shape [5, 1, 2, 4], but it is 'tensor<5x2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:5 = onnx.RNNGrad dY %dy of %x, %w, %r : (tensor<5x2x4xf32>, tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x2x4xf32>)
  return
}
