// Exponential means of the variables that a step trains: new variables that begin as these do, and that @evaluate takes.
// RUN: split-file %s %t
// RUN: dist-opt %t/model.mlir --train-apply-recipe="ema=0.75" | FileCheck %s
// CHECK: func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<2xf32> {train.variable = #train.variable<"frozen", state>}, {{.*}}tensor<3xf32> {train.variable = #train.variable<"w.ema", state>})
// CHECK:   %[[W:.+]] = arith.constant dense<5.000000e-01> : tensor<3xf32>
// CHECK:   return %[[W]], {{.*}}%[[W]] :
// CHECK: func.func @step({{.*}}%[[MEAN:.+]]: tensor<3xf32> {train.variable = #train.variable<"w.ema", state>}
// CHECK:   %[[NEXT:.+]] = train.sgd
// CHECK:   %[[OLD:.+]] = train.scale %[[MEAN]] by %[[KEPT:.+]] :
// CHECK:   %[[NEW:.+]] = train.scale %[[NEXT]] by %[[TAKEN:.+]] :
// CHECK:   %[[SUM:.+]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK:   return %[[NEXT]], {{.*}}, %[[SUM]]
// CHECK: func.func @evaluate(%{{.+}}: tensor<3xf32> {train.variable = #train.variable<"w.ema", state>}

// A step that overflows leaves the means as they are.
// RUN: dist-opt %t/model.mlir --train-apply-recipe="ema=0.75 loss-scale=8" | FileCheck %s --check-prefix=SCALED
// SCALED: func.func @step({{.*}}%[[MEAN:.+]]: tensor<3xf32> {train.variable = #train.variable<"w.ema", state>}
// SCALED: %[[SUM:.+]] = arith.addf
// SCALED: train.select %{{.+}}, %[[SUM]], %[[MEAN]]

// RUN: not dist-opt %t/model.mlir --train-apply-recipe="ema=1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: recipe: ema=1 must be a number of at least 0 and less than 1
// RUN: not dist-opt %t/named.mlir --train-apply-recipe="ema=0.5" 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: recipe: ema: the program has a variable 'w.ema' already
// RUN: not dist-opt %t/empty.mlir --train-apply-recipe="ema=0.5" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: recipe: ema: @step trains no variable

//--- model.mlir
#w = #train.variable<"w", trainable>
#frozen = #train.variable<"frozen", state>
module attributes {train.program} {
  func.func @initialize() -> (tensor<3xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #frozen}) {
    %w = arith.constant dense<0.5> : tensor<3xf32>
    %f = arith.constant dense<1.0> : tensor<2xf32>
    return %w, %f : tensor<3xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<3xf32> {train.variable = #w}, %f: tensor<2xf32> {train.variable = #frozen})
      -> (tensor<3xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #frozen}, tensor<f32> {train.metric = "loss"}) {
    %r = arith.constant dense<0.1> : tensor<f32>
    %s = arith.mulf %w, %w : tensor<3xf32>
    %v = onnx.ReduceSum %s {keepdims = 0 : i64} : (tensor<3xf32>) -> tensor<f32>
    %g = train.gradient %v wrt %w : tensor<f32> wrt tensor<3xf32>
    %0 = train.sgd %w gradient %g rate %r : tensor<3xf32>, tensor<f32>
    return %0, %f, %v : tensor<3xf32>, tensor<2xf32>, tensor<f32>
  }
  func.func @evaluate(%w: tensor<3xf32> {train.variable = #w}) -> (tensor<3xf32> {train.output = "y"}) {
    return %w : tensor<3xf32>
  }
}
//--- named.mlir
#w = #train.variable<"w", trainable>
#mean = #train.variable<"w.ema", state>
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #w}, tensor<f32> {train.variable = #mean}) {
    %w = arith.constant dense<1.0> : tensor<f32>
    return %w, %w : tensor<f32>, tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #w}, %m: tensor<f32> {train.variable = #mean})
      -> (tensor<f32> {train.variable = #w}, tensor<f32> {train.variable = #mean}) {
    %r = arith.constant dense<0.1> : tensor<f32>
    %v = arith.mulf %w, %w : tensor<f32>
    %g = train.gradient %v wrt %w : tensor<f32> wrt tensor<f32>
    %0 = train.sgd %w gradient %g rate %r : tensor<f32>, tensor<f32>
    return %0, %m : tensor<f32>, tensor<f32>
  }
}
//--- empty.mlir
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<f32>
    return %w : tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #w}) -> (tensor<f32> {train.variable = #w}) {
    return %w : tensor<f32>
  }
}
