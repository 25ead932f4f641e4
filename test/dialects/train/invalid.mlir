// One negative test for each constraint of the dialect's operations.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'train.dataset' op global_batch must be positive, got 0}}
train.dataset @dataset_c1_no_samples {global_batch = 0 : i64}

// -----
// expected-error @below {{'train.dataset' op ranks of its shard must not be negative, got -1}}
train.dataset @dataset_c2_negative_ranks {shard = #train.shard<strided, error, @world, ranks = -1>}

// -----
func.func @gradient_c1_results_differ(%l: tensor<f32>, %w: tensor<4xf32>) {
  // expected-error @below {{must have one result for each variable, of its type}}
  %0 = "train.gradient"(%l, %w) : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----
func.func @scale_c1_types_differ(%x: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error @below {{tensor and scalar must have one element type}}
  %0 = train.scale %x by %s : tensor<4xf32>, tensor<f64>
  return
}

// -----
func.func @batch_weight_c1_no_such_dataset() {
  // expected-error @below {{names no train.dataset: @data}}
  %0 = train.batch_weight @data : tensor<f32>
  return
}

// -----
func.func @accuracy_c1_labels_differ(%x: tensor<4x10xf32>, %y: tensor<5xi64>) {
  // expected-error @below {{must have one label for each row of scores, got 5 for 4}}
  %0 = train.accuracy %x, %y : tensor<4x10xf32>, tensor<5xi64> -> tensor<4xf32>
  return
}

// -----
func.func @accuracy_c1_results_differ(%x: tensor<4x10xf32>, %y: tensor<4xi64>) {
  // expected-error @below {{must have one result for each row of scores}}
  %0 = train.accuracy %x, %y : tensor<4x10xf32>, tensor<4xi64> -> tensor<5xf32>
  return
}

// -----
func.func @momentum_c1_beta_without_step(%w: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @below {{needs a step operand unless beta is 1}}
  %0:2 = train.momentum %w gradient %w velocity %w rate %lr {alpha = 0.9 : f32, beta = 0.5 : f32} : tensor<4xf32>, tensor<f32>
  return
}

// -----
func.func @adagrad_c1_decay_without_step(%w: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @below {{needs a step operand unless decay_factor is 0}}
  %0:2 = train.adagrad %w gradient %w accumulator %w rate %lr {decay_factor = 0.1 : f32} : tensor<4xf32>, tensor<f32>
  return
}

// -----
func.func @adam_c1_no_step(%w: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @below {{needs a step operand: its bias corrections depend on the step}}
  %0:3 = train.adam %w gradient %w moments %w, %w rate %lr : tensor<4xf32>, tensor<f32>
  return
}

// -----
func.func @adamw_c1_no_step(%w: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @below {{needs a step operand: its bias corrections depend on the step}}
  %0:3 = train.adamw %w gradient %w moments %w, %w rate %lr : tensor<4xf32>, tensor<f32>
  return
}
