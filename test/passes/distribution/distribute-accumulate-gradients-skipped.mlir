// A running statistic that a step keeps only if it counts is handed from one micro-batch to the next, and selected once,
// after the loop.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4" | FileCheck %s

#w = #train.variable<"w", trainable>
#s = #train.variable<"s", other>
#t = #train.variable<"t", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #s}, tensor<4xf32> {train.variable = #t}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[W:.*]]: tensor<4xf32> {{{.*}}}, %[[S:.*]]: tensor<4xf32> {{{.*}}}, %[[T:.*]]: tensor<4xf32> {{{.*}}}, %[[X:.*]]: tensor<?x4xf32>
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %s: tensor<4xf32> {train.variable = #s}, %t: tensor<4xf32> {train.variable = #t},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #s}, tensor<4xf32> {train.variable = #t}) {
    // CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[G:.*]] = %{{.*}}, %[[T0:.*]] = %[[T]], %[[S0:.*]] = %[[S]])
    // CHECK: %[[S1:.*]] = "test.statistics"(%[[S0]], %[[T0]]
    // CHECK-NOT: train.select
    // CHECK: scf.yield %{{.*}}, %[[S1]], %[[S1]]
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %s1 = "test.statistics"(%s, %t, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
    // CHECK: %[[F:.*]] = train.all_finite %[[R]]#0
    %f = train.all_finite %g : tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: %[[SKIPPED:.*]] = train.select %[[F]], %[[R]]#2, %[[S]]
    %w2 = train.select %f, %w1, %w : tensor<4xf32>
    %s2 = train.select %f, %s1, %s : tensor<4xf32>
    // The other one counts anyway.
    // CHECK: return %{{.*}}, %[[SKIPPED]], %[[R]]#1
    return %w2, %s2, %s1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
