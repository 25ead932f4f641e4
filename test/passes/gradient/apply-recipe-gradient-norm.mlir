// The norm of all gradients as a metric: after the unscaling, before any clip, also before one that the program has.
// RUN: split-file %s %t
// RUN: dist-opt %t/forward.mlir --train-apply-recipe="gradient-norm=true" | FileCheck %s --check-prefix=ALONE
// ALONE: func.func @step
// ALONE-SAME: tensor<f32> {train.metric = "loss"}, tensor<f32> {train.metric = "gradient_norm"})
// ALONE: %[[G:.+]]:2 = train.gradient
// ALONE: %[[N:.+]] = train.global_norm %[[G]]#0, %[[G]]#1
// ALONE-NOT: train.clip
// ALONE: return %{{.+}}, %{{.+}}, %{{.+}}, %[[N]] :
// RUN: dist-opt %t/forward.mlir --train-apply-recipe="gradient-norm=true clip-norm=2 loss-scale=8" | FileCheck %s --check-prefix=ALL
// ALL: train.metric = "skipped"}, tensor<f32> {train.metric = "gradient_norm"})
// ALL: %[[U:.+]] = train.unscale
// ALL: %[[V:.+]] = train.unscale
// ALL: %[[N:.+]] = train.global_norm %[[U]], %[[V]]
// ALL-NOT: train.global_norm
// ALL: train.clip %[[U]] norm %[[N]]
// ALL: return {{.*}}, %[[N]] :
// RUN: dist-opt %t/forward.mlir --train-apply-recipe="gradient-norm=false" | FileCheck %s --check-prefix=NONE --implicit-check-not=gradient_norm --implicit-check-not=global_norm
// NONE: func.func @step
// RUN: dist-opt %t/clipped.mlir --train-apply-recipe="gradient-norm=true" | FileCheck %s --check-prefix=CLIPPED
// CLIPPED: %[[G:.+]] = train.gradient
// CLIPPED: %[[N:.+]] = train.global_norm %[[G]] :
// CLIPPED-NOT: train.clip %{{.+}} norm %[[N]]
// CLIPPED: return %{{.+}}, %[[N]] :

// Ranks reduce before they measure; of parts, the sums of squares.
// RUN: dist-opt %t/forward.mlir --train="global-batch=8 gradient-norm=true" --distribute | FileCheck %s --check-prefix=RANKS
// RANKS: func.func @step
// RANKS: %[[R:.+]]:3 = collective.all_reduce
// RANKS: train.global_norm %[[R]]#
// RUN: dist-opt %t/forward.mlir --train="global-batch=8 optimizer=adam gradient-norm=true" --distribute="shard-optimizer=2" --specialize-world="ranks=2" | FileCheck %s --check-prefix=PARTS
// PARTS: train.sum_of_squares
// PARTS: math.sqrt

// RUN: not dist-opt %t/named.mlir --train-apply-recipe="gradient-norm=true" 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: recipe: gradient-norm: @step returns 'gradient_norm' already; leave the key away
// RUN: not dist-opt %t/empty.mlir --train-apply-recipe="gradient-norm=true" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: recipe: gradient-norm: @step has no optimizer

//--- forward.mlir
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<3xf32> {train.variable = #train.variable<"b", trainable>}) {
    %w = arith.constant dense<0.5> : tensor<4x3xf32>
    %b = arith.constant dense<0.0> : tensor<3xf32>
    return %w, %b : tensor<4x3xf32>, tensor<3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}, %b: tensor<3xf32> {train.variable = #train.variable<"b", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x3xf32> {train.output = "logits"}) {
    %m = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %y = onnx.Add %m, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
}
//--- clipped.mlir
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<f32>
    return %w : tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #w}) -> (tensor<f32> {train.variable = #w}) {
    %r = arith.constant dense<0.1> : tensor<f32>
    %v = arith.mulf %w, %w : tensor<f32>
    %g = train.gradient %v wrt %w : tensor<f32> wrt tensor<f32>
    %n = train.global_norm %g : tensor<f32>
    %c = train.clip %g norm %n {max_norm = 1.0 : f32} : tensor<f32>
    %0 = train.sgd %w gradient %c rate %r : tensor<f32>, tensor<f32>
    return %0 : tensor<f32>
  }
}
//--- named.mlir
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<f32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<f32>
    return %w : tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #w}) -> (tensor<f32> {train.variable = #w}, tensor<f32> {train.metric = "gradient_norm"}) {
    %r = arith.constant dense<0.1> : tensor<f32>
    %v = arith.mulf %w, %w : tensor<f32>
    %g = train.gradient %v wrt %w : tensor<f32> wrt tensor<f32>
    %0 = train.sgd %w gradient %g rate %r : tensor<f32>, tensor<f32>
    return %0, %v : tensor<f32>, tensor<f32>
  }
}
//--- empty.mlir
module attributes {train.program} {
  func.func @step() {
    return
  }
}
