// Gradients that are reduced once and divided once, in many ways; and others that are not.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-replication
// RUN: not dist-opt %s --split-input-file --distribute-verify-replication --remarks-filter=distribute-verify-replication --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A mean; a sum that is divided before, after, in a narrow type, or by a constant of the right size.
#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#u = #train.variable<"u", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #u}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %u: tensor<4xf32> {train.variable = #u},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #u}, tensor<f32> {train.metric = "samples"}) {
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %a = train.scale %x by %quarter : tensor<4xf32>, tensor<f32>
    %narrow = arith.truncf %a : tensor<4xf32> to tensor<4xbf16>
    %b = collective.all_reduce sum %narrow on @world : tensor<4xbf16>
    %wide = arith.extf %b : tensor<4xbf16> to tensor<4xf32>
    %w1 = train.sgd %w gradient %wide rate %lr : tensor<4xf32>, tensor<f32>
    %c = collective.all_reduce sum %x on @world : tensor<4xf32>
    %four = arith.constant dense<4.0> : tensor<4xf32>
    %d = arith.divf %c, %four : tensor<4xf32>
    %v1 = train.sgd %v gradient %d rate %lr : tensor<4xf32>, tensor<f32>
    // A weight in the loss is no divisor too many.
    %half = arith.constant dense<0.5> : tensor<f32>
    %e = collective.all_reduce mean %x on @world : tensor<4xf32>
    %f = train.scale %e by %half : tensor<4xf32>, tensor<f32>
    %u1 = train.sgd %u gradient %f rate %lr : tensor<4xf32>, tensor<f32>
    // What ranks counted may be summed.
    %n = train.sum_of_squares %x : tensor<4xf32>
    %all = collective.all_reduce sum %n on @world : tensor<f32>
    return %w1, %v1, %u1, %all : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}

// -----

// Sums on purpose.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program, train.sums_gradients} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %r = collective.all_reduce sum %x on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// A foreign operation after a sum hides what it does, and so does a factor that only the run knows.
// REMARK: remark: {{.*}}the gradient of variable "w": it is not known whether it is divided once: an operation on the way hides its scale
// REMARK: remark: {{.*}}the gradient of variable "v": it is not known whether it is divided once: it is multiplied by a number whose meaning is not known
#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
#k = #train.hyperparameter<"factor", 2.5e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}, %k: tensor<f32> {train.hyperparameter = #k})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %r = collective.all_reduce sum %x on @world : tensor<4xf32>
    %h = arith.minimumf %r, %w : tensor<4xf32>
    %w1 = train.sgd %w gradient %h rate %lr : tensor<4xf32>, tensor<f32>
    %s = train.scale %r by %k : tensor<4xf32>, tensor<f32>
    %v1 = train.sgd %v gradient %s rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %v1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The value of one rank, a maximum, and a sum that stays at its root.
#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#u = #train.variable<"u", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #u}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %u: tensor<4xf32> {train.variable = #u},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #u}) {
    // expected-error @below {{'collective.broadcast' gives all ranks the gradient of variable "w" of one rank, and those of the others are lost; use collective.all_reduce}}
    %a = collective.broadcast %x from 0 on @world : tensor<4xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %w1 = train.sgd %w gradient %a rate %lr : tensor<4xf32>, tensor<f32>
    // expected-error @below {{'collective.all_reduce' makes the gradient of variable "v" a maximum, a minimum or a product over the ranks; use mean}}
    %b = collective.all_reduce max %x on @world : tensor<4xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %v1 = train.sgd %v gradient %b rate %lr : tensor<4xf32>, tensor<f32>
    // expected-error @below {{'collective.reduce' leaves the sum of the gradient of variable "u" on one rank, and the others keep their own; use collective.all_reduce}}
    %c = collective.reduce mean %x to 0 on @world : tensor<4xf32>
    // expected-note @below {{'train.sgd' takes it here}}
    %u1 = train.sgd %u gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %v1, %u1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Variables that are averaged by a sum; and an update that arithmetic makes.
#w = #train.variable<"w", trainable, per_rank>
#v = #train.variable<"v", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}) {
    %w1 = train.sgd %w gradient %x rate %lr : tensor<4xf32>, tensor<f32>
    // expected-error @below {{'collective.all_reduce' makes variable "w" N times the mean over the ranks: a sum over ranks is not divided by their number; use mean}}
    %w2 = collective.all_reduce sum %w1 on @world : tensor<4xf32>
    // expected-note @below {{'collective.all_reduce' reduces it over ranks}}
    %r = collective.all_reduce sum %x on @world : tensor<4xf32>
    // expected-error @below {{'arith.subf' adds up parts of variable "v" of which one is multiplied by a number of ranks that the other lacks}}
    %v1 = arith.subf %v, %r : tensor<4xf32>
    return %w2, %v1 : tensor<4xf32>, tensor<4xf32>
  }
}
