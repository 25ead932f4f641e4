// Parts of variables and gradients at other places.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-verify-replication

// The neighbour's part.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %rank = collective.rank on @world : index
    %c1 = arith.constant 1 : index
    %other = arith.xori %rank, %c1 : index
    %c2 = arith.constant 2 : index
    %first = arith.muli %other, %c2 : index
    // expected-error @below {{'tensor.extract_slice' does not cut the rank's part of the gradient of variable "w": rank 0 takes elements from 2 on of dimension 0, not from 0; cut at the rank times 2}}
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // expected-note @below {{takes it here}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// The variable's part is the neighbour's, the gradient's is not.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %g = arith.mulf %w, %x : tensor<8xf32>
    %gp = collective.reduce_scatter mean %g along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %c2 = arith.constant 2 : index
    %up = arith.addi %first, %c2 : index
    %c8 = arith.constant 8 : index
    %other = arith.remui %up, %c8 : index
    // expected-error @below {{'tensor.extract_slice' does not cut the rank's part of variable "w": rank 0 takes elements from 2 on of dimension 0, not from 0; cut at the rank times 2}}
    %wp = tensor.extract_slice %w[%other] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // expected-note @below {{takes it here}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Parts that leave a rest.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<9xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<9xf32>
    return %one : tensor<9xf32>
  }
  func.func @step(%w: tensor<9xf32> {train.variable = #w}, %x: tensor<9xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<9xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<9xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<9xf32>
    // expected-error @below {{'tensor.extract_slice' does not cut the rank's part of the gradient of variable "w": the parts of dimension 0 do not make up the whole; cut as many equal parts as the group has ranks}}
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<9xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<9xf32> to tensor<2xf32>
    // expected-note @below {{takes it here}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %all = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    %w1 = tensor.insert_slice %all into %w[0] [8] [1] : tensor<8xf32> into tensor<9xf32>
    return %w1 : tensor<9xf32>
  }
}

// -----

// Where the number of ranks is open, the offset must be the rank times the length.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    // expected-note @below {{it varies because}}
    %rank = collective.rank on @world : index
    %size = collective.size on @world : index
    %eight = arith.constant 8 : index
    %length = arith.divui %eight, %size : index
    %one = arith.constant 1 : index
    // expected-note @below {{and so does the result of}}
    %up = arith.addi %rank, %one : index
    // expected-note @below {{and so does the result of}}
    %next = arith.remui %up, %size : index
    // expected-note @below {{and so does the result of}}
    %first = arith.muli %next, %length : index
    // expected-note @below {{and so does the result of}}
    %gp = tensor.extract_slice %r[%first] [%length] [1] : tensor<8xf32> to tensor<?xf32>
    %wp = tensor.extract_slice %w[%first] [%length] [1] : tensor<8xf32> to tensor<?xf32>
    // expected-error @below {{the gradient that 'train.sgd' takes is not reduced over the ranks}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<?xf32>, tensor<f32>
    %all = collective.all_gather %n along 0 on @world : tensor<?xf32> -> tensor<?xf32>
    %w1 = tensor.cast %all : tensor<?xf32> to tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Scattered over one axis, reduced over it again.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @tp members(#collective.blocks<2>)
  collective.group @dp members(#collective.strided<2>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %a = collective.reduce_scatter mean %g along 0 on @tp : tensor<8xf32> -> tensor<4xf32>
    // expected-note @below {{'collective.all_reduce' has reduced it before}}
    %b = collective.all_reduce mean %a on @dp : tensor<4xf32>
    %p = arith.negf %b : tensor<4xf32>
    // expected-error @below {{'collective.all_reduce' reduces the gradient of variable "w" over the ranks twice}}
    %q = collective.all_reduce mean %p on @tp : tensor<4xf32>
    %r = collective.all_gather %q along 0 on @tp : tensor<4xf32> -> tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Parts of the variable added up.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // expected-error @below {{'collective.all_reduce' adds up parts of variable "w" that lie at different places; reduce before the cut, or over the ranks that hold the same part}}
    %s = collective.all_reduce mean %wp on @world : tensor<2xf32>
    %c = collective.all_gather %s along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = arith.addf %c, %r : tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// A norm of the part where the whole is meant.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %gp = collective.reduce_scatter mean %g along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %m = arith.constant dense<0.0> : tensor<2xf32>
    %t = arith.constant dense<1> : tensor<i64>
    // expected-error @below {{'train.lamb' takes a part of the gradient of variable "w", but works on more than single elements}}
    %n, %m1, %v1 = train.lamb %wp gradient %gp moments %m, %m rate %lr step %t : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// One of two inputs.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<8xf32> {train.input = #train.input<"y", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<8xf32> {train.variable = #w}) {
    // expected-error @below {{'collective.broadcast' takes input "y" of rank 2 alone, and the gradient of variable "w" is made of it}}
    %b = collective.broadcast %y from 2 on @world : tensor<8xf32>
    %d = arith.subf %x, %b : tensor<8xf32>
    %g = arith.mulf %w, %d : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    // expected-note @below {{takes it here}}
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Sets of different sizes.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @uneven members(#collective.ranks<[[0, 1, 2], [3]]>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %rank = collective.rank on @uneven : index
    %c2 = arith.constant 2 : index
    %first = arith.muli %rank, %c2 : index
    // expected-error @below {{'tensor.extract_slice' does not cut the rank's part of the gradient of variable "w": rank 3 takes elements from 0 on of dimension 0, not from 6}}
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // expected-note @below {{takes it here}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Offsets from a table.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %rank = collective.rank on @world : index
    %c2 = arith.constant 2 : index
    %own = arith.muli %rank, %c2 : index
    %t = arith.constant dense<[4, 0, 6, 2]> : tensor<4xindex>
    %first = tensor.extract %t[%rank] : tensor<4xindex>
    // expected-error @below {{'tensor.extract_slice' does not cut the rank's part of the gradient of variable "w": rank 0 takes elements from 4 on}}
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%own] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // expected-note @below {{takes it here}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Variable and gradient at one wrong place, without an optimizer.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %rank = collective.rank on @world : index
    %c3 = arith.constant 3 : index
    %other = arith.subi %c3, %rank : index
    %c2 = arith.constant 2 : index
    %first = arith.muli %other, %c2 : index
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = arith.subf %wp, %gp : tensor<2xf32>
    // expected-error @below {{'collective.all_gather' does not undo the cut of variable "w"}}
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// The variable's part is the same on all ranks.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @bad attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // expected-error @below {{'train.sgd' combines each rank's part with one value that all ranks have alike, for variable "w"}}
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    // expected-note @below {{takes it here}}
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}
