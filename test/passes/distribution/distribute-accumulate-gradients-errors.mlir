// What cannot be accumulated, and why.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4" --split-input-file --verify-diagnostics

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{has no gradient to accumulate: it holds no optimizer operation; mark gradients with train.mark_gradient}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{accumulates gradients of micro-batches already}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %i = arith.constant 0 : index
    %p = train.micro_batch %i of 2 in %x : tensor<?x4xf32> -> tensor<?x4xf32>
    %g = "test.backward"(%p, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{input 'x' of @step is 'tensor<16x4xf32>', which cannot be cut into micro-batches; export the model with a symbolic batch}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<16x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = "test.backward"(%x, %w) : (tensor<16x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{@step reads no dataset: there is no batch to divide}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = "test.backward"(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // expected-error @below {{computes nothing from its batch that could be done in parts}}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = "test.decay"(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{the gradient is 'tensor<?xf32>': only float tensors of static shape can be added up}}
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?xf32>
    %m = train.mark_gradient %g : tensor<?xf32>
    return %w : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{variable "w" is updated from the batch by an operation that is no optimizer: it would be updated for each micro-batch; mark its gradient with train.mark_gradient}}
    %w1 = "test.update"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = train.mark_gradient %g : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.metric = "count"}) {
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // expected-error @below {{metric "count" is 'tensor<i64>': neither a float scalar, which has a mean over micro-batches, nor one row for each sample}}
    %n = "test.count"(%x) : (tensor<?x4xf32>) -> tensor<i64>
    return %w1, %n : tensor<4xf32>, tensor<i64>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.output = "mean"}) {
    // expected-error @below {{output "mean" is 'tensor<4xf32>': neither a float scalar, which has a mean over micro-batches, nor one row for each sample}}
    %n = "test.mean"(%x) : (tensor<?x4xf32>) -> tensor<4xf32>
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %n : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{what 'test.clip' takes is 'tensor<4xf32>': neither a float scalar, which has a mean over micro-batches, nor one row for each sample}}
    %n = "test.mean"(%x) : (tensor<?x4xf32>) -> tensor<4xf32>
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = train.mark_gradient %g : tensor<4xf32>
    %c = "test.clip"(%m, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{the gradient is reduced over the ranks already, which every micro-batch would do again: run distribute-accumulate-gradients before distribute-reduce-gradients}}
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %g = "test.backward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    %l = "test.loss"(%x) : (tensor<?x4xf32>) -> tensor<f32>
    // expected-error @below {{the value is reduced over the ranks already, which every micro-batch would do again: run distribute-accumulate-gradients before distribute-reduce-metrics}}
    %r = collective.all_reduce mean %l on @world : tensor<f32>
    return %w1, %r : tensor<4xf32>, tensor<f32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  collective.group @later members(#collective.at_run_time)
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    %rank = collective.rank on @world : index
    %p = "test.forward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{'collective.create_group' orders communication and stands among what runs once for each micro-batch; put it before or after forward and backward}}
    collective.create_group @later of %rank : index
    %s = collective.all_reduce sum %p on @later : tensor<4xf32>
    %g = "test.backward"(%s, %x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
    collective.destroy_group @later
    %m = train.mark_gradient %g : tensor<4xf32>
    %w1 = arith.subf %w, %m : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}
