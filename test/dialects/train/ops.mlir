// Every operation and attribute of the dialect parses, prints and parses again.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s

// CHECK: module attributes {train.program}
module attributes {train.program} {
  // CHECK: train.dataset @data {global_batch = 64 : i64}
  train.dataset @data {global_batch = 64 : i64}
  // CHECK: train.dataset @sharded {shard = #train.shard<strided, error, @world>}
  train.dataset @sharded {shard = #train.shard<strided, error, @world>}
  // CHECK: train.dataset @specialised {shard = #train.shard<contiguous, weighted, @world, ranks = 4>}
  train.dataset @specialised {shard = #train.shard<contiguous, weighted, @world, ranks = 4>}

  func.func @initialize() -> (tensor<4x10xf32> {train.variable = #train.variable<"fc.weight", trainable>}) {
    %w = arith.constant dense<0.0> : tensor<4x10xf32>
    return %w : tensor<4x10xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: {train.variable = #train.variable<"fc.weight", trainable>}
  // CHECK-SAME: {train.input = #train.input<"input", @data>}
  // CHECK-SAME: {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.000000e-01 : f64>}
  // CHECK-SAME: {train.metric = "loss"}
  func.func @step(%w: tensor<4x10xf32> {train.variable = #train.variable<"fc.weight", trainable>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"input", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 0.1 : f64>})
      -> (tensor<4x10xf32> {train.variable = #train.variable<"fc.weight", trainable>},
          tensor<f32> {train.metric = "loss"}, tensor<?x4xf32> {train.output = "logits"}) {
    return %w, %lr, %x : tensor<4x10xf32>, tensor<f32>, tensor<?x4xf32>
  }

  // CHECK-LABEL: func.func @values
  func.func @values(%loss: tensor<f32>, %w: tensor<4x10xf32>, %b: tensor<10xf32>, %x: tensor<?x10xf32>,
                    %y: tensor<?xi64>) {
    // CHECK: train.gradient %{{.*}} wrt %{{.*}}, %{{.*}} : tensor<f32> wrt tensor<4x10xf32>, tensor<10xf32>
    %g:2 = train.gradient %loss wrt %w, %b : tensor<f32> wrt tensor<4x10xf32>, tensor<10xf32>
    // CHECK: train.mark_gradient %{{.*}} : tensor<4x10xf32>
    %m = train.mark_gradient %g#0 : tensor<4x10xf32>
    // CHECK: train.full_like %{{.*}}, 1.000000e+00 : tensor<?x10xf32>
    %f = train.full_like %x, 1.0 : tensor<?x10xf32>
    // CHECK: train.batch_weight @data : tensor<f32>
    %share = train.batch_weight @data : tensor<f32>
    // CHECK: %[[TOTAL:.*]] = train.batch_total %{{.*}} : tensor<f32>
    %total = train.batch_total %share : tensor<f32>
    // CHECK: train.batch_share %[[TOTAL]] : tensor<f32>
    %part = train.batch_share %total : tensor<f32>
    // CHECK: train.scale %{{.*}} by %{{.*}} : tensor<?x10xf32>, tensor<f32>
    %s = train.scale %x by %share : tensor<?x10xf32>, tensor<f32>
    // CHECK: train.accuracy %{{.*}}, %{{.*}} : tensor<?x10xf32>, tensor<?xi64> -> tensor<?xf32>
    %a = train.accuracy %x, %y : tensor<?x10xf32>, tensor<?xi64> -> tensor<?xf32>
    return
  }

  // CHECK-LABEL: func.func @optimizers
  func.func @optimizers(%w: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>,
                        %lr: tensor<f32>, %t: tensor<i64>) {
    // CHECK: train.sgd %{{.*}} gradient %{{.*}} rate %{{.*}} {norm_coefficient = 9.99999974E-5 : f32} : tensor<4xf32>, tensor<f32>
    %0 = train.sgd %w gradient %g rate %lr {norm_coefficient = 1.0e-4 : f32} : tensor<4xf32>, tensor<f32>
    // CHECK: train.momentum %{{.*}} gradient %{{.*}} velocity %{{.*}} rate %{{.*}} step %{{.*}} {{{.*}}mode = 1{{.*}}}
    %1:2 = train.momentum %w gradient %g velocity %m rate %lr step %t {alpha = 0.9 : f32, beta = 0.5 : f32, mode = 1 : i32} : tensor<4xf32>, tensor<f32>
    // CHECK: train.adagrad %{{.*}} gradient %{{.*}} accumulator %{{.*}} rate %{{.*}} : tensor<4xf32>, tensor<f32>
    %2:2 = train.adagrad %w gradient %g accumulator %m rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: train.adam %{{.*}} gradient %{{.*}} moments %{{.*}}, %{{.*}} rate %{{.*}} step %{{.*}} {epsilon_before_correction}
    %3:3 = train.adam %w gradient %g moments %m, %v rate %lr step %t {epsilon_before_correction} : tensor<4xf32>, tensor<f32>
    // CHECK: train.adamw %{{.*}} gradient %{{.*}} moments %{{.*}}, %{{.*}} rate %{{.*}} step %{{.*}} : tensor<4xf32>, tensor<f32>
    %4:3 = train.adamw %w gradient %g moments %m, %v rate %lr step %t : tensor<4xf32>, tensor<f32>
    // CHECK: train.nadam %{{.*}} gradient %{{.*}} moments %{{.*}}, %{{.*}} rate %{{.*}} step %{{.*}} {momentum_decay = 5.000000e-01 : f32} : tensor<4xf32>, tensor<f32>
    %7:3 = train.nadam %w gradient %g moments %m, %v rate %lr step %t {momentum_decay = 5.0e-1 : f32} : tensor<4xf32>, tensor<f32>
    // CHECK: train.rmsprop %{{.*}} gradient %{{.*}} average %{{.*}} rate %{{.*}} : tensor<4xf32>, tensor<f32>
    %8:2 = train.rmsprop %w gradient %g average %v rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: train.rmsprop_momentum %{{.*}} gradient %{{.*}} average %{{.*}} velocity %{{.*}} rate %{{.*}} {momentum = 5.000000e-01 : f32} : tensor<4xf32>
    %9:3 = train.rmsprop_momentum %w gradient %g average %v velocity %m rate %lr {momentum = 5.0e-1 : f32} : tensor<4xf32>, tensor<f32>
    // CHECK: train.lion %{{.*}} gradient %{{.*}} moment %{{.*}} rate %{{.*}} {weight_decay = 5.000000e-01 : f32} : tensor<4xf32>, tensor<f32>
    %10:2 = train.lion %w gradient %g moment %m rate %lr {weight_decay = 5.0e-1 : f32} : tensor<4xf32>, tensor<f32>
    // CHECK: train.lamb %{{.*}} gradient %{{.*}} moments %{{.*}}, %{{.*}} rate %{{.*}} step %{{.*}} {weight_decay = 5.000000e-01 : f32} : tensor<4xf32>, tensor<f32>
    %5:3 = train.lamb %w gradient %g moments %m, %v rate %lr step %t {weight_decay = 5.0e-1 : f32} : tensor<4xf32>, tensor<f32>
    // CHECK: train.adamw {{.*}} {decay_last, epsilon_before_correction, weight_decay = 1.000000e-01 : f32} : tensor<4xf32>
    %6:3 = train.adamw %w gradient %g moments %m, %v rate %lr step %t {weight_decay = 1.0e-1 : f32, decay_last, epsilon_before_correction} : tensor<4xf32>, tensor<f32>
    return
  }
  // CHECK-LABEL: func.func @micro_batches
  func.func @micro_batches(%x: tensor<?x4xf32>, %i: index) -> tensor<?x10xf32> {
    // CHECK: train.micro_batch %{{.*}} of 4 in %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32>
    %part = train.micro_batch %i of 4 in %x : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK: train.zero_batch like %{{.*}} : tensor<?x4xf32> -> tensor<?x10xf32>
    %whole = train.zero_batch like %x : tensor<?x4xf32> -> tensor<?x10xf32>
    %scores = train.zero_batch like %part : tensor<?x4xf32> -> tensor<?x10xf32>
    // CHECK: train.put_micro_batch %{{.*}} into %{{.*}} at %{{.*}} of 4 : tensor<?x10xf32> into tensor<?x10xf32>
    %next = train.put_micro_batch %scores into %whole at %i of 4 : tensor<?x10xf32> into tensor<?x10xf32>
    return %next : tensor<?x10xf32>
  }
}
