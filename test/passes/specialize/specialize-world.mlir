// For several ranks: sizes are declared, questions answered, equal shares folded; communication stays.
// RUN: dist-opt %s --specialize-world="ranks=4" | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: dist-opt %s --specialize-world="ranks=4" --specialize-world="ranks=4" | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: dist-opt %s --specialize-world="ranks=3" | FileCheck %s --check-prefixes=CHECK,THREE
// RUN: dist-opt %s --specialize-world="ranks=1" | FileCheck %s --check-prefix=ONE

// ONE-NOT: collective
// ONE-NOT: shard
// ONE-NOT: batch_weight
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  // FOUR: collective.group @world {size = 4 : i64}
  // THREE: collective.group @world {size = 3 : i64}
  collective.group @world
  // FOUR: train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world, ranks = 4>}
  // THREE: train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world, ranks = 3>}
  // ONE: train.dataset @data {global_batch = 64 : i64}{{$}}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world>}
  // CHECK-LABEL: func.func @initialize
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    // CHECK: collective.broadcast
    %0 = collective.broadcast %w from 0 on @world : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // ONE-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.output = "unfolded"}) {
    // Shares of 64 among 3 are unequal: their weight waits for the rank. Among 4 it is a quarter.
    // FOUR: %[[WEIGHT:.*]] = arith.constant dense<2.500000e-01> : tensor<f32>
    // THREE: %[[WEIGHT:.*]] = train.batch_weight @data
    %weight = train.batch_weight @data : tensor<f32>
    // CHECK: %[[SCALED:.*]] = train.scale %{{.*}} by %[[WEIGHT]]
    %scaled = train.scale %x by %weight : tensor<4xf32>, tensor<f32>
    // CHECK: collective.all_reduce sum %[[SCALED]]
    %g = collective.all_reduce sum %scaled on @world : tensor<4xf32>
    // ONE: train.sgd %{{.*}} gradient %arg1 rate
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // What distribution did not add is left, though it could be folded, or is dead.
    // CHECK: %[[TWO:.*]] = arith.addf
    // CHECK: arith.addf
    // CHECK: return %{{.*}}, %[[TWO]]
    // ONE-COUNT-2: arith.addf
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %two = arith.addf %one, %one : tensor<4xf32>
    %dead = arith.addf %two, %one : tensor<4xf32>
    return %w1, %two : tensor<4xf32>, tensor<4xf32>
  }
}
