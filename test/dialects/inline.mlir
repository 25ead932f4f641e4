// Calls of functions that have operations of our dialects in them are inlined.
// RUN: dist-opt %s --inline | FileCheck %s

collective.group @world

func.func private @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
  %x = collective.all_reduce sum %a on @world : tensor<4xf32>
  return %x : tensor<4xf32>
}

func.func private @activate(%a: tensor<4xf32>) -> tensor<4xf32> {
  %x = onnx.Relu %a : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

func.func private @descend(%w: tensor<4xf32>, %g: tensor<4xf32>, %rate: tensor<f32>) -> tensor<4xf32> {
  %x = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @all_of_them
// CHECK-NOT: call
// CHECK: onnx.Relu
// CHECK: collective.all_reduce
// CHECK: train.sgd
func.func @all_of_them(%w: tensor<4xf32>, %g: tensor<4xf32>, %rate: tensor<f32>) -> tensor<4xf32> {
  %a = call @activate(%g) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @sum(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @descend(%w, %b, %rate) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
