// What cannot be scaled or clipped. None of these runs gives a number of ranks or a batch: they end before.
// RUN: split-file %s %t
// RUN: not dist-opt %t/step.mlir --train="loss-scale=16" 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: recipe: loss-scale needs @initialize, and a @step with a body of one block
// RUN: not dist-opt %t/empty.mlir --train="loss-scale=16" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: recipe: loss-scale: @step has no optimizer
// RUN: not dist-opt %t/empty.mlir --train="clip-norm=16" 2>&1 | FileCheck %s --check-prefix=CLIPEMPTY
// CLIPEMPTY: recipe: clip-norm: @step has no optimizer
// RUN: not dist-opt %t/changed.mlir --train="loss-scale=16" 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: changed.mlir:11:10: error: recipe: loss-scale: 'train.sgd' must take a result of train.gradient as it is
// RUN: not dist-opt %t/named.mlir --train="loss-scale=dynamic" 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: recipe: loss-scale: @step returns 'loss_scale' already, which is the name of what loss scaling adds
// RUN: dist-opt %t/named.mlir --train="loss-scale=16" -o %t/out.mlir
// RUN: not dist-opt %t/clipped.mlir --train="clip-norm=16" 2>&1 | FileCheck %s --check-prefix=CLIPPED
// CLIPPED: recipe: clip-norm: the gradient is clipped already
// CLIPPED: note: here
// RUN: not dist-opt %t/two.mlir --train="clip-norm=1" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: recipe: clip-norm needs a @step with a body of one block
// Where optimizers stand between gradients, they move after the norm of all.
// RUN: dist-opt %t/between.mlir --train="clip-norm=1" | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: train.global_norm %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32>
// BETWEEN-COUNT-2: train.sgd
// Gradients may be taken in another order than they are computed in.
// RUN: dist-opt %t/crossed.mlir --train="loss-scale=16" | FileCheck %s --check-prefix=CROSSED
// CROSSED: %[[DA:.*]] = train.unscale
// CROSSED: %[[DB:.*]] = train.unscale
// CROSSED-NEXT: train.all_finite %[[DA]], %[[DB]]
// CROSSED: train.sgd %{{.*}} gradient %[[DB]]
// CROSSED: train.sgd %{{.*}} gradient %[[DA]]
// RUN: not dist-opt %t/region.mlir --train="loss-scale=16" 2>&1 | FileCheck %s --check-prefix=REGION
// REGION: region.mlir:14:12: error: recipe: loss-scale: the train.gradient that 'train.sgd' takes stands in a region of 'scf.if'; it must stand in the body of @step

//--- step.mlir
module attributes {train.program} {
  func.func @step() {
    return
  }
}
//--- empty.mlir
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<2xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<2xf32>
    return %w : tensor<2xf32>
  }
  func.func @step(%w: tensor<2xf32> {train.variable = #w}) -> (tensor<2xf32> {train.variable = #w}) {
    return %w : tensor<2xf32>
  }
}
//--- changed.mlir
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<2xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<2xf32>
    return %w : tensor<2xf32>
  }
  func.func @step(%w: tensor<2xf32> {train.variable = #w}, %r: tensor<f32>) -> (tensor<2xf32> {train.variable = #w}) {
    %v = arith.mulf %w, %w : tensor<2xf32>
    %g = train.gradient %v wrt %w : tensor<2xf32> wrt tensor<2xf32>
    %d = arith.addf %g, %w : tensor<2xf32>
    %0 = train.sgd %w gradient %d rate %r : tensor<2xf32>, tensor<f32>
    return %0 : tensor<2xf32>
  }
}
//--- named.mlir
#w = #train.variable<"loss_scale", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<f32>
    return %w : tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #w}, %r: tensor<f32>) -> (tensor<f32> {train.variable = #w}) {
    %v = arith.mulf %w, %w : tensor<f32>
    %g = train.gradient %v wrt %w : tensor<f32> wrt tensor<f32>
    %0 = train.sgd %w gradient %g rate %r : tensor<f32>, tensor<f32>
    return %0 : tensor<f32>
  }
}
//--- clipped.mlir
module attributes {train.program} {
  func.func @step(%w: tensor<f32>, %r: tensor<f32>) -> tensor<f32> {
    %n = train.global_norm %w : tensor<f32>
    %g = train.clip %w norm %n {max_norm = 1.0 : f32} : tensor<f32>
    %0 = train.sgd %w gradient %g rate %r : tensor<f32>, tensor<f32>
    return %0 : tensor<f32>
  }
}
//--- two.mlir
module attributes {train.program} {
  func.func @step() {
    cf.br ^bb1
  ^bb1:
    return
  }
}
//--- between.mlir
module attributes {train.program} {
  func.func @step(%a: tensor<2xf32>, %b: tensor<2xf32>, %r: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %da = arith.mulf %a, %b : tensor<2xf32>
    %a1 = train.sgd %a gradient %da rate %r : tensor<2xf32>, tensor<f32>
    %db = arith.addf %a, %b : tensor<2xf32>
    %b1 = train.sgd %b gradient %db rate %r : tensor<2xf32>, tensor<f32>
    return %a1, %b1 : tensor<2xf32>, tensor<2xf32>
  }
}
//--- crossed.mlir
#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<2xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<2xf32>
    return %a, %a : tensor<2xf32>, tensor<2xf32>
  }
  func.func @step(%a: tensor<2xf32> {train.variable = #a}, %b: tensor<2xf32> {train.variable = #b}, %r: tensor<f32>)
      -> (tensor<2xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    %u = arith.mulf %a, %a : tensor<2xf32>
    %v = arith.mulf %b, %b : tensor<2xf32>
    %da = train.gradient %u wrt %a : tensor<2xf32> wrt tensor<2xf32>
    %db = train.gradient %v wrt %b : tensor<2xf32> wrt tensor<2xf32>
    %b1 = train.sgd %b gradient %db rate %r : tensor<2xf32>, tensor<f32>
    %a1 = train.sgd %a gradient %da rate %r : tensor<2xf32>, tensor<f32>
    return %a1, %b1 : tensor<2xf32>, tensor<2xf32>
  }
}
//--- region.mlir
#a = #train.variable<"a", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<2xf32> {train.variable = #a}) {
    %a = arith.constant dense<1.0> : tensor<2xf32>
    return %a : tensor<2xf32>
  }
  func.func @step(%a: tensor<2xf32> {train.variable = #a}, %r: tensor<f32>) -> (tensor<2xf32> {train.variable = #a}) {
    %yes = arith.constant true
    %a2 = scf.if %yes -> (tensor<2xf32>) {
      scf.yield %a : tensor<2xf32>
    } else {
      %v = arith.mulf %a, %a : tensor<2xf32>
      // The place that the error names.
      %g = train.gradient %v wrt %a : tensor<2xf32> wrt tensor<2xf32>
      %a1 = train.sgd %a gradient %g rate %r : tensor<2xf32>, tensor<f32>
      scf.yield %a1 : tensor<2xf32>
    }
    return %a2 : tensor<2xf32>
  }
}
