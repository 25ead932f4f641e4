// One negative test for each constraint of the dialect's operations.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'train.dataset' op global_batch must be positive, got 0}}
train.dataset @dataset_c1_no_samples {global_batch = 0 : i64}

// -----
// expected-error @below {{'train.dataset' op ranks of its shard must not be negative, got -1}}
train.dataset @dataset_c2_negative_ranks {shard = #train.shard<strided, error, @world, ranks = -1>}

// -----
// expected-error @below {{'train.dataset' op has no attribute 'sharding'; its own are global_batch, shard, sym_name, and those of others carry a dialect's prefix}}
train.dataset @dataset_c3_misspelt_shard {sharding = #train.shard<strided, error, @world>}

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

// -----
func.func @nadam_c1_no_step(%w: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @below {{needs a step operand: its bias corrections depend on the step}}
  %0:3 = train.nadam %w gradient %w moments %w, %w rate %lr : tensor<4xf32>, tensor<f32>
  return
}

// -----
func.func @lamb_c1_no_step(%w: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @below {{needs a step operand: its bias corrections depend on the step}}
  %0:3 = train.lamb %w gradient %w moments %w, %w rate %lr : tensor<4xf32>, tensor<f32>
  return
}

// -----
func.func @micro_batch_c1_no_part(%x: tensor<4xf32>, %i: index) {
  // expected-error @below {{must divide the batch into 1 part or more, got 0}}
  %0 = train.micro_batch %i of 0 in %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----
func.func @micro_batch_c2_scalar(%x: tensor<f32>, %i: index) {
  // expected-error @below {{needs a batch with rows to divide, got the scalar 'tensor<f32>'}}
  %0 = train.micro_batch %i of 2 in %x : tensor<f32> -> tensor<f32>
  return
}

// -----
func.func @micro_batch_c2_indivisible(%x: tensor<4xf32>, %i: index) {
  // expected-error @below {{3 parts do not divide a batch of 4 rows}}
  %0 = train.micro_batch %i of 3 in %x : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----
func.func @micro_batch_c3_whole_for_part(%x: tensor<4xf32>, %i: index) {
  // expected-error @below {{a part of 'tensor<4xf32>' must be 'tensor<2xf32>', got 'tensor<4xf32>'}}
  %0 = train.micro_batch %i of 2 in %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----
func.func @put_micro_batch_c1_no_part(%x: tensor<4xf32>, %i: index) {
  // expected-error @below {{must divide the batch into 1 part or more, got -1}}
  %0 = train.put_micro_batch %x into %x at %i of -1 : tensor<4xf32> into tensor<4xf32>
  return
}

// -----
func.func @put_micro_batch_c2_indivisible(%x: tensor<1xf32>, %y: tensor<4xf32>, %i: index) {
  // expected-error @below {{3 parts do not divide a batch of 4 rows}}
  %0 = train.put_micro_batch %x into %y at %i of 3 : tensor<1xf32> into tensor<4xf32>
  return
}

// -----
func.func @put_micro_batch_c3_of_another_type(%x: tensor<2xi64>, %y: tensor<4xf32>, %i: index) {
  // expected-error @below {{a part of 'tensor<4xf32>' must be 'tensor<2xf32>', got 'tensor<2xi64>'}}
  %0 = train.put_micro_batch %x into %y at %i of 2 : tensor<2xi64> into tensor<4xf32>
  return
}

// -----
func.func @zero_batch_c1_other_rows(%x: tensor<4xf32>) {
  // expected-error @below {{must have as many rows as its operand: 'tensor<4xf32>' and 'tensor<5x2xf32>'}}
  %0 = train.zero_batch like %x : tensor<4xf32> -> tensor<5x2xf32>
  return
}

// -----
func.func @rowwise_adagrad_c1_a_number_for_each_element(%w: tensor<4x2xf32>, %r: tensor<f32>) {
  // expected-error @below {{needs one number of 'f32' for each row of a table, not 'tensor<4x2xf32>' for 'tensor<4x2xf32>'}}
  %0:2 = train.rowwise_adagrad %w gradient %w accumulator %w rate %r : tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>
  return
}

// -----
func.func @rowwise_adagrad_c1_no_table(%w: tensor<4xf32>, %r: tensor<f32>) {
  // expected-error @below {{needs one number of 'f32' for each row of a table, not 'tensor<4xf32>' for 'tensor<4xf32>'}}
  %0:2 = train.rowwise_adagrad %w gradient %w accumulator %w rate %r : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  return
}
