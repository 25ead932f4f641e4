// A value that is the initial value of two variables is sent once; without variables there is nothing to do.
// RUN: dist-opt %s --split-input-file --distribute-broadcast-variables | FileCheck %s

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
module attributes {train.program} {
  // CHECK-LABEL: func.func @initialize
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    // CHECK: %[[R:.*]] = collective.broadcast %{{.*}} from 0 on @world : tensor<4xf32>
    // CHECK: return %[[R]], %[[R]]
    %0 = arith.constant dense<1.0> : tensor<4xf32>
    return %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK: module attributes {train.program}
// CHECK-NOT: collective
module attributes {train.program} {
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

// The name @world is taken by something else, a group of another name is there.
// CHECK-LABEL: collective.group @everyone
#a = #train.variable<"a", trainable>
module attributes {train.program} {
  func.func private @world()
  collective.group @everyone
  func.func @initialize() -> (tensor<f32> {train.variable = #a}) {
    // CHECK: collective.broadcast %{{.*}} from 0 on @everyone
    %0 = arith.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @step(%a: tensor<f32> {train.variable = #a}) -> (tensor<f32> {train.variable = #a}) {
    return %a : tensor<f32>
  }
}

// -----

// CHECK: collective.group @[[WORLD:world_[0-9]+]]
#a = #train.variable<"a", trainable>
module attributes {train.program} {
  func.func private @world()
  func.func @initialize() -> (tensor<f32> {train.variable = #a}) {
    // CHECK: collective.broadcast %{{.*}} from 0 on @[[WORLD]]
    %0 = arith.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @step(%a: tensor<f32> {train.variable = #a}) -> (tensor<f32> {train.variable = #a}) {
    return %a : tensor<f32>
  }
}
