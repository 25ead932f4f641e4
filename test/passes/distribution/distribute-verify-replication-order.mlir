// The canonical order of what happens to a gradient; each error names both operations.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-replication

// Unscaled before the sum: the sum of unscaled f16 gradients loses what scaling kept.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    // expected-note @below {{'train.unscale' is here}}
    %u = train.unscale %g by %s : tensor<4xf32>
    // expected-error @below {{'collective.all_reduce' of a gradient comes after 'train.unscale'; the order is reduce, unscale, finite check, norm, clip, update}}
    %r = collective.all_reduce mean %u on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Clipped before the sum, each rank by a norm of its own.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, // expected-note @below {{it varies because}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    // expected-note @below {{and so does the result of 'arith.mulf'}}
    %g = arith.mulf %w, %x : tensor<4xf32>
    // expected-error @below {{'train.global_norm' comes before 'collective.all_reduce', so that 'train.clip' would do something else on each rank; the order is reduce, unscale, finite check, norm, clip, update}}
    // expected-note @below {{and so does the result of 'train.global_norm'}}
    %n = train.global_norm %g : tensor<4xf32>
    // expected-note @below {{'train.clip' is here}}
    %c = train.clip %g norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    // expected-error @below {{'collective.all_reduce' of a gradient comes after 'train.clip'}}
    // expected-note @below {{'collective.all_reduce' is here}}
    %r = collective.all_reduce mean %c on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Skipped by some ranks only.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, // expected-note @below {{it varies because}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    // expected-note @below {{and so does the result of 'arith.mulf'}}
    %g = arith.mulf %w, %x : tensor<4xf32>
    // expected-error @below {{'train.all_finite' comes before 'collective.all_reduce', so that 'train.select' would do something else on each rank}}
    // expected-note @below {{and so does the result of 'train.all_finite'}}
    %f = train.all_finite %g : tensor<4xf32>
    // expected-note @below {{'collective.all_reduce' is here}}
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w0 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    // expected-note @below {{'train.select' is here}}
    %w1 = train.select %f, %w0, %w : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Measured of something that is never reduced.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, // expected-note @below {{it varies because}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %w on @world : tensor<4xf32>
    // expected-error @below {{'train.global_norm' is not reduced over the ranks, so that 'train.clip' would do something else on each rank}}
    // expected-note @below {{and so does the result of 'train.global_norm'}}
    %n = train.global_norm %x : tensor<4xf32>
    // expected-note @below {{'train.clip' is here}}
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    %w1 = train.sgd %w gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// The norm of a scaled gradient.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    // expected-error @below {{'train.global_norm' is taken of a gradient before 'train.unscale'; the order is reduce, unscale, finite check, norm, clip, update}}
    %n = train.global_norm %r : tensor<4xf32>
    // expected-note @below {{'train.unscale' is here}}
    %u = train.unscale %r by %s : tensor<4xf32>
    %c = train.clip %u norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    %w1 = train.sgd %w gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Clipped, then unscaled.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %n = train.global_norm %r : tensor<4xf32>
    // expected-note @below {{'train.clip' is here}}
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    // expected-error @below {{'train.unscale' of a gradient comes after 'train.clip'; the order is}}
    %u = train.unscale %c by %s : tensor<4xf32>
    %w1 = train.sgd %w gradient %u rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Clipped twice.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %n = train.global_norm %r : tensor<4xf32>
    // expected-note @below {{'train.clip' is here}}
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    // expected-error @below {{'train.clip' of a gradient comes after 'train.clip', which does the same; the order is}}
    %d = train.clip %c norm %n {max_norm = 2.0 : f32} : tensor<4xf32>
    %w1 = train.sgd %w gradient %d rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Checked after it was clipped.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %n = train.global_norm %r : tensor<4xf32>
    // expected-note @below {{'train.clip' is here}}
    %c = train.clip %r norm %n {max_norm = 1.0 : f32} : tensor<4xf32>
    // expected-error @below {{'train.all_finite' of a gradient comes after 'train.clip'; the order is}}
    %f = train.all_finite %c : tensor<4xf32>
    %w0 = train.sgd %w gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    %w1 = train.select %f, %w0, %w : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// The scale of the next step is one for all ranks.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, // expected-note @below {{it varies because}}
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %s = arith.constant dense<1.024000e+03> : tensor<f32>
    %g = arith.mulf %w, %x : tensor<4xf32>
    // expected-error @below {{'train.all_finite' is not reduced over the ranks, so that 'train.update_loss_scale' would do something else on each rank}}
    // expected-note @below {{and so does the result of 'train.all_finite'}}
    %f = train.all_finite %x : tensor<4xf32>
    %t = arith.constant dense<0> : tensor<i64>
    // expected-note @below {{'train.update_loss_scale' is here}}
    %s1, %t1 = train.update_loss_scale %s tracker %t finite %f
    %r = collective.all_reduce mean %w on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// What one decision means for the rank's own variable is right, and wrong for a replicated one; so for its part.
#w = #train.variable<"w", trainable>
#own = #train.variable<"own", other, per_rank>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #own}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %own = arith.constant dense<1.0> : tensor<2xf32>
    return %w, %own : tensor<4xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %own: tensor<2xf32> {train.variable = #own},
                  // expected-note @below {{it varies because}}
                  %x: tensor<2xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #own}) {
    // expected-error @below {{'train.all_finite' is not reduced over the ranks, so that 'train.select' would do something else on each rank; the order is}}
    // expected-note @below {{and so does the result of 'train.all_finite'}}
    %f = train.all_finite %x : tensor<2xf32>
    %own1 = train.select %f, %x, %own : tensor<2xf32>
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    // expected-note @below {{'train.select' is here}}
    %new = train.select %f, %x, %part : tensor<2xf32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1, %own1 : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

// Scaled by the norm of this rank's part only, which is no part of anything that is reduced.
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state, shard<4>>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %v : tensor<4xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<2xf32> {train.variable = #v},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    // expected-note @below {{it varies because}}
    %g = collective.reduce_scatter mean %x along 0 on @world : tensor<4xf32> -> tensor<2xf32>
    %n = train.global_norm %g : tensor<2xf32>
    // expected-note @below {{and so does the result of 'train.scale'}}
    %c = train.scale %g by %n : tensor<2xf32>, tensor<f32>
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %part = tensor.extract_slice %w[%first] [2] [1] : tensor<4xf32> to tensor<2xf32>
    // expected-error @below {{the gradient that 'train.momentum' takes is not reduced over the ranks}}
    %new, %v1 = train.momentum %part gradient %c velocity %v rate %lr {alpha = 0.9 : f32} : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %new along 0 on @world : tensor<2xf32> -> tensor<4xf32>
    return %w1, %v1 : tensor<4xf32>, tensor<2xf32>
  }
}
