// Functions that cannot be bound to buffers.
// RUN: dist-opt %s --lower-bind-variables --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot be compiled: 'tensor<?xf32>' is not a tensor of static shape (run train-specialize-batch first)}}
func.func @step(%x: tensor<?xf32>) { return }

// -----

// expected-error @+1 {{cannot be compiled: 'f32' is not a tensor of static shape (if only other functions call it, make it private)}}
func.func @step(%x: f32) { return }

// -----

// expected-error @+1 {{cannot be compiled: its body has more than one block}}
func.func @step(%x: tensor<4xf32>) {
  cf.br ^bb1
^bb1:
  return
}

// -----
train.dataset @data
// expected-error @below {{cannot be compiled: its arguments must be variables, then inputs, then hyperparameters}}
func.func @step(%rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>},
                %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) {
  return
}

// -----

func.func private @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot be compiled: @endless is no part of its caller; give it one body, in which it does not call itself, and run inline}}
  %y = func.call @endless(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
