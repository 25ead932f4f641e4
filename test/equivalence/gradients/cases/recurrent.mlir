// Recurrent layers: each operand, direction, layout and activation. See ../GradientCase.h.

func.func @rnn(%x: tensor<3x2x3xf32>, %w: tensor<1x2x3xf32>, %r: tensor<1x2x2xf32>, %b: tensor<1x4xf32>, %h: tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>) {
  %0:2 = onnx.RNN %x, %w, %r bias %b from %h : (tensor<3x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>, tensor<1x4xf32>, tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#0, %0#1 : tensor<3x1x2x2xf32>, tensor<1x2x2xf32>
}

func.func @rnn_of_one_step(%x: tensor<1x2x3xf32>, %w: tensor<1x2x3xf32>, %r: tensor<1x2x2xf32>, %h: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
  %0:2 = onnx.RNN %x, %w, %r from %h : (tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#1 : tensor<1x2x2xf32>
}

func.func @rnn_affine_and_elu(%x: tensor<?x3x3xf32>, %w: tensor<2x2x3xf32>, %r: tensor<2x2x2xf32>, %b: tensor<2x4xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x2x2xf32>) {
  %0:2 = onnx.RNN %x, %w, %r bias %b {activations = ["Affine", "Elu"], activation_alpha = array<f32: 0.6, 0.7>, activation_beta = array<f32: 0.3>, direction = "bidirectional", layout = 1 : i64} : (tensor<?x3x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>, tensor<2x4xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x2x2xf32>)
  return %0#0, %0#1 : tensor<?x3x2x2xf32>, tensor<?x2x2xf32>
}

func.func @rnn_scaled_tanh_and_softplus(%x: tensor<3x2x3xf32>, %w: tensor<2x2x3xf32>, %r: tensor<2x2x2xf32>) -> tensor<3x2x2x2xf32> {
  %0:2 = onnx.RNN %x, %w, %r {activations = ["ScaledTanh", "Softplus"], activation_alpha = array<f32: 1.7>, activation_beta = array<f32: 0.6>, direction = "bidirectional"} : (tensor<3x2x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>) -> (tensor<3x2x2x2xf32>, tensor<2x2x2xf32>)
  return %0#0 : tensor<3x2x2x2xf32>
}

func.func @rnn_hard_sigmoid_and_leaky_relu(%x: tensor<3x2x3xf32>, %w: tensor<2x2x3xf32>, %r: tensor<2x2x2xf32>) -> tensor<3x2x2x2xf32> {
  %0:2 = onnx.RNN %x, %w, %r {activations = ["HardSigmoid", "LeakyRelu"], activation_alpha = array<f32: 0.3, 0.1>, activation_beta = array<f32: 0.4>, direction = "bidirectional"} : (tensor<3x2x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>) -> (tensor<3x2x2x2xf32>, tensor<2x2x2xf32>)
  return %0#0 : tensor<3x2x2x2xf32>
}

func.func @rnn_softsign_and_thresholded_relu(%x: tensor<3x2x3xf32>, %w: tensor<2x2x3xf32>, %r: tensor<2x2x2xf32>) -> tensor<3x2x2x2xf32> {
  %0:2 = onnx.RNN %x, %w, %r {activations = ["Softsign", "ThresholdedRelu"], activation_alpha = array<f32: 0.2>, direction = "bidirectional"} : (tensor<3x2x3xf32>, tensor<2x2x3xf32>, tensor<2x2x2xf32>) -> (tensor<3x2x2x2xf32>, tensor<2x2x2xf32>)
  return %0#0 : tensor<3x2x2x2xf32>
}

func.func @rnn_relu(%x: tensor<3x2x3xf32>, %w: tensor<1x2x3xf32>, %r: tensor<1x2x2xf32>) -> tensor<3x1x2x2xf32> {
  %0:2 = onnx.RNN %x, %w, %r {activations = ["Relu"], direction = "reverse"} : (tensor<3x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#0 : tensor<3x1x2x2xf32>
}

func.func @gru(%x: tensor<?x3x3xf32>, %w: tensor<2x6x3xf32>, %r: tensor<2x6x2xf32>, %b: tensor<2x12xf32>, %n: tensor<?xi64> {test.classes = 4}, %h: tensor<?x2x2xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x2x2xf32>) {
  %lengths = onnx.Cast %n {to = i32} : (tensor<?xi64>) -> tensor<?xi32>
  %0:2 = onnx.GRU %x, %w, %r bias %b lengths %lengths from %h {direction = "bidirectional", layout = 1 : i64} : (tensor<?x3x3xf32>, tensor<2x6x3xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<?xi32>, tensor<?x2x2xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x2x2xf32>)
  return %0#0, %0#1 : tensor<?x3x2x2xf32>, tensor<?x2x2xf32>
}

func.func @gru_without_bias(%x: tensor<3x2x3xf32>, %w: tensor<1x6x3xf32>, %r: tensor<1x6x2xf32>) -> tensor<1x2x2xf32> {
  %0:2 = onnx.GRU %x, %w, %r : (tensor<3x2x3xf32>, tensor<1x6x3xf32>, tensor<1x6x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#1 : tensor<1x2x2xf32>
}

func.func @gru_linear_before_reset(%x: tensor<3x2x3xf32>, %w: tensor<1x6x3xf32>, %r: tensor<1x6x2xf32>, %b: tensor<1x12xf32>, %h: tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>) {
  %0:2 = onnx.GRU %x, %w, %r bias %b from %h {direction = "reverse", linear_before_reset = 1 : i64} : (tensor<3x2x3xf32>, tensor<1x6x3xf32>, tensor<1x6x2xf32>, tensor<1x12xf32>, tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#0, %0#1 : tensor<3x1x2x2xf32>, tensor<1x2x2xf32>
}

func.func @gru_with_other_activations(%x: tensor<3x2x3xf32>, %w: tensor<1x6x3xf32>, %r: tensor<1x6x2xf32>) -> tensor<3x1x2x2xf32> {
  %0:2 = onnx.GRU %x, %w, %r {activations = ["Softsign", "Softplus"], linear_before_reset = 1 : i64} : (tensor<3x2x3xf32>, tensor<1x6x3xf32>, tensor<1x6x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#0 : tensor<3x1x2x2xf32>
}

func.func @lstm(%x: tensor<3x2x3xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x8x2xf32>, %b: tensor<1x16xf32>, %h: tensor<1x2x2xf32>, %c: tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) {
  %0:3 = onnx.LSTM %x, %w, %r bias %b from %h memory %c : (tensor<3x2x3xf32>, tensor<1x8x3xf32>, tensor<1x8x2xf32>, tensor<1x16xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>
}

func.func @lstm_with_everything(%x: tensor<?x3x3xf32>, %w: tensor<2x8x3xf32>, %r: tensor<2x8x2xf32>, %b: tensor<2x16xf32>, %n: tensor<?xi64> {test.classes = 4}, %h: tensor<?x2x2xf32>, %c: tensor<?x2x2xf32>, %p: tensor<2x6xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x2x2xf32>, tensor<?x2x2xf32>) {
  %lengths = onnx.Cast %n {to = i32} : (tensor<?xi64>) -> tensor<?xi32>
  %0:3 = onnx.LSTM %x, %w, %r bias %b lengths %lengths from %h memory %c peepholes %p {direction = "bidirectional", layout = 1 : i64} : (tensor<?x3x3xf32>, tensor<2x8x3xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<?xi32>, tensor<?x2x2xf32>, tensor<?x2x2xf32>, tensor<2x6xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x2x2xf32>, tensor<?x2x2xf32>)
  return %0#0, %0#1, %0#2 : tensor<?x3x2x2xf32>, tensor<?x2x2xf32>, tensor<?x2x2xf32>
}

func.func @lstm_with_input_forget_and_clip(%x: tensor<3x2x3xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x8x2xf32>, %p: tensor<1x6xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>) {
  %0:3 = onnx.LSTM %x, %w, %r peepholes %p {clip = 5.000000e-01 : f32, direction = "reverse", input_forget = 1 : i64} : (tensor<3x2x3xf32>, tensor<1x8x3xf32>, tensor<1x8x2xf32>, tensor<1x6xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>)
  return %0#0, %0#2 : tensor<3x1x2x2xf32>, tensor<1x2x2xf32>
}

// Two layers: the gradient of the second one is taken of what the first one made.
func.func @lstm_of_a_gru(%x: tensor<3x2x3xf32>, %w: tensor<1x6x3xf32>, %r: tensor<1x6x2xf32>, %v: tensor<1x8x2xf32>, %s: tensor<1x8x2xf32>) -> tensor<1x2x2xf32> {
  %0:2 = onnx.GRU %x, %w, %r {linear_before_reset = 1 : i64} : (tensor<3x2x3xf32>, tensor<1x6x3xf32>, tensor<1x6x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>)
  %1 = onnx.Squeeze %0#0 {axes = array<i64: 1>} : (tensor<3x1x2x2xf32>) -> tensor<3x2x2xf32>
  %2:3 = onnx.LSTM %1, %v, %s from %0#1 : (tensor<3x2x2xf32>, tensor<1x8x2xf32>, tensor<1x8x2xf32>, tensor<1x2x2xf32>) -> (tensor<3x1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>)
  return %2#1 : tensor<1x2x2xf32>
}
