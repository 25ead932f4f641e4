// Programs that train-apply-recipe refuses.
// RUN: dist-opt %s --train-apply-recipe="optimizer=adam freeze=fc.wieght" --split-input-file --verify-diagnostics

// expected-error @below {{is not a training program: it has no attribute train.program}}
module {
}

// -----

// expected-error @below {{recipe: the program must have @forward and @initialize, or @step}}
module attributes {train.program} {
  func.func @initialize() {
    return
  }
}

// -----

// The name in freeze is not there; names like it are offered.
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"fc.weight", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"other", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0, %0 : tensor<3xf32>, tensor<3xf32>
  }
  // expected-error @below {{recipe: freeze: there is no variable 'fc.wieght'; did you mean fc.weight?}}
  func.func @forward(%0: tensor<3xf32> {train.variable = #train.variable<"fc.weight", trainable>},
                     %1: tensor<3xf32> {train.variable = #train.variable<"other", trainable>})
      -> (tensor<3xf32> {train.output = "y"}) {
    return %0 : tensor<3xf32>
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"fc.wieght", other>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  // expected-error @below {{recipe: freeze: variable 'fc.wieght' is not trainable: it is a buffer or a running statistic, or of a type that has no gradient}}
  func.func @forward(%0: tensor<3xf32> {train.variable = #train.variable<"fc.wieght", other>}) {
    return
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"fc.wieght", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  // expected-error @below {{recipe: no variable of @forward is trainable; parameters are float initializers}}
  func.func @forward(%0: tensor<3xf32> {train.variable = #train.variable<"fc.wieght", trainable>}) {
    return
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{recipe: @forward must have a body of one block}}
  func.func private @forward()
}

// -----

module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  // expected-error @below {{recipe: argument 1 of @forward must be an input; variables stand before all inputs}}
  func.func @forward(%0: tensor<?xf32> {train.input = #train.input<"x", @data>},
                     %1: tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    return
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{recipe: @forward takes 1 variables, but @initialize returns 0}}
  func.func @forward(%0: tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    return
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"v", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  // expected-error @below {{of @forward is not what @initialize returns at its place}}
  func.func @forward(%0: tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    return
  }
}

// -----

// Adam counts steps in a variable that the model has already.
module attributes {train.program} {
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"fc.wieght", trainable>},
                              tensor<3xf32> {train.variable = #train.variable<"step", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0, %0 : tensor<3xf32>, tensor<3xf32>
  }
  // expected-error @below {{recipe: the model has a variable 'step' already, which is the name of a variable that the optimizer needs}}
  func.func @forward(%0: tensor<3xf32> {train.variable = #train.variable<"fc.wieght", trainable>},
                     %1: tensor<3xf32> {train.variable = #train.variable<"step", trainable>}) {
    return
  }
}
