// Norms and finite checks of gradients of which ranks hold parts: measured part by part, and agreed on by all ranks.
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=2 min-elements=4" | FileCheck %s
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=2 min-elements=4" --distribute-verify-replication -o /dev/null
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=1 min-elements=4" | FileCheck %s --check-prefix=WHOLE

// Stage 1 measures whole gradients, as one rank does, and keeps its bits.
// WHOLE-LABEL: func.func @step
// WHOLE-NOT: train.sum_of_squares
// WHOLE: train.all_finite %{{.*}}, %{{.*}} : tensor<2x5xf32>, tensor<3xf32>
// WHOLE: train.global_norm %{{.*}}, %{{.*}} : tensor<2x5xf32>, tensor<3xf32>

#w = #train.variable<"w", trainable>
#b = #train.variable<"b", trainable>
#m = #train.variable<"w.m", state>
#n = #train.variable<"b.m", state>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<2x5xf32> {train.variable = #w}, tensor<3xf32> {train.variable = #b},
                              tensor<2x5xf32> {train.variable = #m}, tensor<3xf32> {train.variable = #n}) {
    %w = arith.constant dense<1.0> : tensor<2x5xf32>
    %b = arith.constant dense<1.0> : tensor<3xf32>
    return %w, %b, %w, %b : tensor<2x5xf32>, tensor<3xf32>, tensor<2x5xf32>, tensor<3xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<2x5xf32> {train.variable = #w}, %b: tensor<3xf32> {train.variable = #b},
                  %m: tensor<2x5xf32> {train.variable = #m}, %n: tensor<3xf32> {train.variable = #n},
                  %x: tensor<2x5xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<3xf32> {train.input = #train.input<"y", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<2x5xf32> {train.variable = #w}, tensor<3xf32> {train.variable = #b},
          tensor<2x5xf32> {train.variable = #m}, tensor<3xf32> {train.variable = #n}, tensor<f32> {train.metric = "skipped"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %s = arith.constant dense<1024.0> : tensor<f32>
    // CHECK: %[[P:.*]] = collective.reduce_scatter mean
    // CHECK: %[[R:.*]] = collective.all_reduce mean
    %g:2 = collective.all_reduce mean %x, %y on @world : tensor<2x5xf32>, tensor<3xf32>
    // CHECK: %[[U:.*]] = train.unscale %[[P]] by %{{.*}} : tensor<3xf32>
    // CHECK: %[[V:.*]] = train.unscale %[[R]] by %{{.*}} : tensor<3xf32>
    %u = train.unscale %g#0 by %s : tensor<2x5xf32>
    %v = train.unscale %g#1 by %s : tensor<3xf32>
    // CHECK: %[[OWN:.*]] = train.all_finite %[[U]], %[[V]] : tensor<3xf32>, tensor<3xf32>
    // CHECK: %[[NUMBER:.*]] = arith.extui %[[OWN]] : tensor<i1> to tensor<i32>
    // CHECK: %[[LEAST:.*]] = collective.all_reduce min %[[NUMBER]] on @world : tensor<i32>
    // CHECK: %[[F:.*]] = arith.trunci %[[LEAST]] : tensor<i32> to tensor<i1>
    %f = train.all_finite %u, %v : tensor<2x5xf32>, tensor<3xf32>
    // What all ranks have is in the sum once.
    // CHECK: %[[OWNSUM:.*]] = train.sum_of_squares %[[U]] : tensor<3xf32>
    // CHECK: %[[SUM:.*]] = collective.all_reduce sum %[[OWNSUM]] on @world : tensor<f32>
    // CHECK: %[[REST:.*]] = train.sum_of_squares %[[V]] : tensor<3xf32>
    // CHECK: %[[SQUARE:.*]] = arith.addf %[[SUM]], %[[REST]] : tensor<f32>
    // CHECK: %[[N:.*]] = math.sqrt %[[SQUARE]] : tensor<f32>
    %norm = train.global_norm %u, %v : tensor<2x5xf32>, tensor<3xf32>
    // CHECK: train.clip %[[U]] norm %[[N]] {{.*}} : tensor<3xf32>
    // CHECK: train.clip %[[V]] norm %[[N]] {{.*}} : tensor<3xf32>
    %c = train.clip %u norm %norm {max_norm = 1.0 : f32} : tensor<2x5xf32>
    %d = train.clip %v norm %norm {max_norm = 1.0 : f32} : tensor<3xf32>
    %w1, %m1 = train.momentum %w gradient %c velocity %m rate %lr {alpha = 0.9 : f32} : tensor<2x5xf32>, tensor<f32>
    %b1, %n1 = train.momentum %b gradient %d velocity %n rate %lr {alpha = 0.9 : f32} : tensor<3xf32>, tensor<f32>
    // CHECK-COUNT-5: train.select %[[F]]
    %w2 = train.select %f, %w1, %w : tensor<2x5xf32>
    %b2 = train.select %f, %b1, %b : tensor<3xf32>
    %m2 = train.select %f, %m1, %m : tensor<2x5xf32>
    %n2 = train.select %f, %n1, %n : tensor<3xf32>
    %skipped = train.select %f, %zero, %one : tensor<f32>
    return %w2, %b2, %m2, %n2, %skipped : tensor<2x5xf32>, tensor<3xf32>, tensor<2x5xf32>, tensor<3xf32>, tensor<f32>
  }
}

// -----

// Nothing is sharded, so that nothing is measured part by part.
#w = #train.variable<"w", trainable>
#m = #train.variable<"w.m", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<2xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #m}) {
    %w = arith.constant dense<1.0> : tensor<2xf32>
    return %w, %w : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<2xf32> {train.variable = #w}, %m: tensor<2xf32> {train.variable = #m},
                  %x: tensor<2xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<2xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #m}) {
    // CHECK: %[[G:.*]] = collective.all_reduce mean
    // CHECK: train.global_norm %[[G]]
    // WHOLE: train.global_norm
    %g = collective.all_reduce mean %x on @world : tensor<2xf32>
    %norm = train.global_norm %g : tensor<2xf32>
    %c = train.clip %g norm %norm {max_norm = 1.0 : f32} : tensor<2xf32>
    %w1, %m1 = train.momentum %w gradient %c velocity %m rate %lr {alpha = 0.9 : f32} : tensor<2xf32>, tensor<f32>
    return %w1, %m1 : tensor<2xf32>, tensor<2xf32>
  }
}
