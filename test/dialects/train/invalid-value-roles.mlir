// One negative test for each way to say something of a value that does not hold.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @below {{samples of input "x" cannot lie along dimension -1}}
func.func private @input_c1(tensor<?xf32> {train.input = #train.input<"x", @data, axis = -1>})

// -----
train.dataset @data
// expected-error @below {{argument 0 of @program_c12: samples cannot lie along dimension 1 of 'tensor<?xf32>'}}
func.func private @program_c12(tensor<?xf32> {train.input = #train.input<"x", @data, axis = 1>})

// -----
// expected-error @below {{argument 0 of @program_c1: has more than one role}}
func.func private @program_c1(tensor<4xf32> {train.variable = #train.variable<"w", trainable>, train.gradient = "w"})

// -----
// expected-error @below {{argument 0 of @program_c13_number: train.gradient must be the name of a variable, or have no value, got 3 : i64}}
func.func private @program_c13_number(tensor<4xf32> {train.gradient = 3})

// -----
// expected-error @below {{result 0 of @program_c13_no_name: train.gradient must be the name of a variable, or have no value, got ""}}
func.func private @program_c13_no_name() -> (tensor<4xf32> {train.gradient = ""})

// -----
// expected-error @below {{argument 0 of @program_c13_integers: a gradient must be a tensor of f16, bf16, f32 or f64, got 'tensor<4xi32>'}}
func.func private @program_c13_integers(tensor<4xi32> {train.gradient})

// -----
func.func @program_c13_result_type(%x: tensor<4xf32>) {
  // expected-error @below {{result 0: a gradient must be a tensor of f16, bf16, f32 or f64, got 'index'}}
  %0 = "acme.count"(%x) {train.gradient} : (tensor<4xf32>) -> index
  return
}

// -----
func.func @program_c13_no_result(%x: tensor<4xf32>) {
  // expected-error @below {{train.gradient is about the results of an operation: expected a role for each of 0 results, got unit}}
  "acme.use"(%x) {train.gradient} : (tensor<4xf32>) -> ()
  return
}

// -----
func.func @program_c13_two_results(%x: tensor<4xf32>) {
  // expected-error @below {{train.gradient is about the results of an operation: expected a role for each of 2 results, got "w"}}
  %0:2 = "acme.backward"(%x) {train.gradient = "w"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @program_c13_entry(%x: tensor<4xf32>) {
  // expected-error @below {{result 1: train.gradient must be the name of a variable, or have no value, got false}}
  %0:2 = "acme.backward"(%x) {train.gradient = ["", false]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    // expected-error @below {{result 0 is the gradient of "v", which is no variable of this program}}
    %g = "acme.backward"(%w) {train.gradient = "v"} : (tensor<4xf32>) -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
  // expected-error @below {{argument 0 of @update is the gradient of variable "w", which is 'tensor<4xf32>', but has type 'tensor<4xf16>'}}
  func.func private @update(tensor<4xf16> {train.gradient = "w"})
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    // expected-error @below {{result 1 is the gradient of variable "w", which is 'tensor<4xf32>', but has type 'tensor<2x2xf32>'}}
    %g:2 = "acme.backward"(%w) {train.gradient = ["", "w"]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>)
    return %w : tensor<4xf32>
  }
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %g = "acme.backward"(%w) {train.gradient = "w"} : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{result 0 is a second gradient of variable "w": mark their sum instead}}
    %h = "acme.backward"(%w) {train.gradient = "w"} : (tensor<4xf32>) -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
}

// -----
module attributes {train.program} {
  func.func private @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
  // expected-error @below {{result 2 of @step is a second gradient of variable "w": mark their sum instead}}
  func.func private @step(tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<4xf32> {train.gradient = "w"}, tensor<4xf32> {train.gradient = "w"})
}

// -----
// expected-error @below {{train.random must be a #train.random, on an operation with results}}
func.func private @program_c15_function() attributes {train.random = #train.random<per_rank>}

// -----
func.func @program_c15_unit(%x: tensor<4xf32>) {
  // expected-error @below {{train.random must be a #train.random, on an operation with results}}
  %0 = "acme.draw"(%x) {train.random} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @program_c15_deterministic(%x: tensor<4xf32>) {
  // expected-error @below {{is declared train.deterministic, and a source of random numbers of each rank's own: drop one}}
  %0 = "acme.draw"(%x) {train.random = #train.random<per_rank>, train.deterministic} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// expected-error @below {{argument 0 of @program_c15_argument: train.random must be a #train.random, got unit}}
func.func private @program_c15_argument(i64 {train.random})

// -----
// expected-error @below {{result 0 of @program_c15_result: a result cannot be train.random}}
func.func private @program_c15_result() -> (i64 {train.random = #train.random<per_rank>})
