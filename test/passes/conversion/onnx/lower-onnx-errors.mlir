// What cannot be compiled, and why.
// RUN: dist-opt %s --lower-onnx --split-input-file --verify-diagnostics

func.func @custom(%x: tensor<4xf32>) {
  // expected-error @+1 {{operator 'Swirl' of domain 'com.acme' cannot be compiled: Tutti has no definition of it; express it by operators that it has (docs/frontend.md), as nodes or as a function of the model (ModelProto.functions)}}
  %0 = onnx.custom "com.acme" "Swirl" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'onnx.Relu' op cannot be compiled: 'tensor<?x4xf32>' is not static; run train-specialize-batch first}}
  %0 = onnx.Relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dropout_whose_mode_is_not_constant(%x: tensor<4xf32>, %t: tensor<i1>) {
  // expected-error @+1 {{'onnx.Dropout' op cannot be compiled: training_mode must be a constant}}
  %0:2 = onnx.Dropout %x training %t : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>)
  return
}

// -----

func.func @dropout_gradient_whose_mode_is_not_constant(%dy: tensor<4xf32>, %m: tensor<4xi1>, %t: tensor<i1>) {
  // expected-error @+1 {{'onnx.DropoutGrad' op cannot be compiled: training_mode must be a constant}}
  %0 = onnx.DropoutGrad %dy, %m training %t : (tensor<4xf32>, tensor<4xi1>, tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_of_unsigned(%x: tensor<4xui64>) {
  // expected-error @+1 {{'onnx.Add' op cannot be compiled: there is no arithmetic on unsigned integers of 64 bits; cast them to int64}}
  %0 = onnx.Add %x, %x : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
  return
}

// -----

func.func @power_of_unsigned(%x: tensor<4xui8>) {
  // expected-error @+1 {{'onnx.Pow' op cannot be compiled: there is no arithmetic on unsigned integers}}
  %0 = onnx.Pow %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @largest_of_bytes(%x: tensor<4xui8>) {
  // expected-error @+1 {{'onnx.TopK' op cannot be compiled: elements of f32, f64, i32 and i64 are compared, and no others; cast its input to one of these}}
  %0, %1 = onnx.TopK %x {k = 2 : i64} : (tensor<4xui8>) -> (tensor<2xui8>, tensor<2xi64>)
  return
}

// -----

func.func @bytes_added_by_their_places(%x: tensor<4xi8>, %i: tensor<2xi64>, %u: tensor<2xi8>) {
  // expected-error @+1 {{'onnx.ScatterElements' op cannot be compiled: numbers of f32, f64, i32 and i64 are combined, and no others; cast data and updates to one of these}}
  %0 = onnx.ScatterElements %x, %i, %u {reduction = "add"} : (tensor<4xi8>, tensor<2xi64>, tensor<2xi8>) -> tensor<4xi8>
  return
}

// -----

// Several micro-batches in a turn, and which of them is this one? Numbers of another one would be drawn.
func.func @draw_of_no_turn(%x: tensor<8x4xf32>, %i: index) {
  %r = onnx.Constant dense<2.5e-1> : tensor<f32>
  %t = onnx.Constant dense<true> : tensor<i1>
  %part = train.micro_batch %i of 4 in %x {train.turn = 0 : i64} : tensor<8x4xf32> -> tensor<2x4xf32>
  // expected-error @+1 {{'onnx.Dropout' op cannot be compiled: it is in a loop that computes several micro-batches in a turn, and train.turn does not say of which it is}}
  %0:2 = onnx.Dropout %part ratio %r training %t : (tensor<2x4xf32>, tensor<f32>, tensor<i1>) -> (tensor<2x4xf32>, tensor<2x4xi1>)
  return
}

// -----

func.func @random_of_another_turn(%x: tensor<8x4xf32>, %i: index) {
  %part = train.micro_batch %i of 4 in %x {train.turn = 0 : i64} : tensor<8x4xf32> -> tensor<2x4xf32>
  // expected-error @+1 {{'onnx.RandomNormalLike' op cannot be compiled: it is in a loop that computes several micro-batches in a turn}}
  %0 = onnx.RandomNormalLike %part {train.turn = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}
