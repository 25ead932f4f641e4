// What a conversion loses is kept by each rank, and added to the gradient of the next step.
// RUN: dist-opt %s --split-input-file --collective-compress="type=bf16 error-feedback=true" --distribute-verify-replication | FileCheck %s

#w = #train.variable<"w", trainable>
#n = #train.variable<"count", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: {train.variable = #train.variable<"count", other>}, tensor<4xf32> {train.variable = #train.variable<"w.residual", state, per_rank>})
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[ZERO]]
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #n}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %n = arith.constant dense<0> : tensor<i64>
    return %w, %n : tensor<4xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[RESIDUAL:[a-z0-9]+]]: tensor<4xf32> {train.variable = #train.variable<"w.residual", state, per_rank>}, %{{.*}} {train.input
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %n: tensor<i64> {train.variable = #n},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #n}, tensor<f32> {train.metric = "rate"}) {
    // CHECK: %[[G:.*]] = arith.mulf
    %g = arith.mulf %w, %x : tensor<4xf32>
    // CHECK: %[[MEAN:.*]] = train.scale %[[G]]
    // CHECK-NEXT: %[[WHOLE:.*]] = arith.addf %[[MEAN]], %[[RESIDUAL]] : tensor<4xf32>
    // CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[WHOLE]] : tensor<4xf32> to tensor<4xbf16>
    // CHECK-NEXT: %[[SENT:.*]] = arith.extf %[[NARROW]] : tensor<4xbf16> to tensor<4xf32>
    // CHECK-NEXT: %[[LOST:.*]] = arith.subf %[[WHOLE]], %[[SENT]] : tensor<4xf32>
    // CHECK-NEXT: collective.all_reduce sum %[[NARROW]] on @world
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    // CHECK: %[[F:.*]] = train.all_finite
    %f = train.all_finite %r : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: %[[W:.*]] = train.select %[[F]]
    %w2 = train.select %f, %w1, %w : tensor<4xf32>
    // CHECK: %[[KEPT:.*]] = train.select %[[F]], %[[LOST]], %[[RESIDUAL]]
    // CHECK-NEXT: return %[[W]], %{{.*}}, %[[KEPT]], %{{.*}}
    return %w2, %n, %lr : tensor<4xf32>, tensor<i64>, tensor<f32>
  }
}

// -----

// Of a sharded variable, whose gradient is scattered as a row: the residual has the name of the variable and is a row, too.
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.velocity", state, shard<2x2>>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: tensor<4xf32> {train.variable = #train.variable<"w.residual", state, per_rank>})
  func.func @initialize() -> (tensor<2x2xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<2x2xf32>
    %v = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %v : tensor<2x2xf32>, tensor<2xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<2x2xf32> {train.variable = #w}, %v: tensor<2xf32> {train.variable = #v},
                  %x: tensor<2x2xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<2x2xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %row = collective.flatten %x : tensor<2x2xf32> -> tensor<4xf32>
    // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
    // CHECK: collective.reduce_scatter sum %{{.*}} along 0 on @world : tensor<4xbf16> -> tensor<2xbf16>
    %g = collective.reduce_scatter mean %row along 0 on @world : tensor<4xf32> -> tensor<2xf32>
    %whole = collective.flatten %w : tensor<2x2xf32> -> tensor<4xf32>
    %part = tensor.extract_slice %whole[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %new, %v1 = train.momentum %part gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<2xf32>, tensor<f32>
    %all = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    %w1 = collective.unflatten %all : tensor<4xf32> -> tensor<2x2xf32>
    return %w1, %v1 : tensor<2x2xf32>, tensor<2xf32>
  }
}
