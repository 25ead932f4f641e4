// Parameters are broadcast, the optimizer's states are not.
// Thread: https://github.com/horovod/horovod/issues/526
// After a checkpoint only rank 0 had the optimizer's state; the others went on with their own.
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bug attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: variable "w.v" leaves @initialize different on different ranks
    %m = onnx.custom "com.acme" "ReadCheckpoint" () : () -> tensor<4xf32>
    return %w, %m : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1, %v1 = train.momentum %w gradient %r velocity %v rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    return %w1, %v1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Repaired.
// CHECK-NOT: error:
// CHECK: module @repaired
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @repaired attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
        %m = onnx.custom "com.acme" "ReadCheckpoint" () : () -> tensor<4xf32>
    %same = collective.broadcast %m from 0 on @world : tensor<4xf32>
    return %w, %same : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1, %v1 = train.momentum %w gradient %r velocity %v rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    return %w1, %v1 : tensor<4xf32>, tensor<4xf32>
  }
}
