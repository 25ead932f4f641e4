// Parts at the rank's place, and samples of all ranks: accepted in many spellings.
// RUN: dist-opt %s --split-input-file --distribute-verify-replication -o /dev/null
// RUN: dist-opt %s --split-input-file --distribute-verify-replication --remarks-filter=distribute-verify-replication --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --allow-empty --implicit-check-not='where its parts lie'

// The offset as a shift.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %one = arith.constant 1 : index
    %first = arith.shli %rank, %one : index
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// As a sum, in another type, and back.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %i = arith.index_cast %rank : index to i32
    %t = arith.addi %i, %i : i32
    %first = arith.index_cast %t : i32 to index
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// As a choice for each rank.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %is0 = arith.cmpi eq, %rank, %c0 : index
    %is1 = arith.cmpi eq, %rank, %c1 : index
    %is2 = arith.cmpi eq, %rank, %c2 : index
    %a = arith.select %is2, %c4, %c6 : index
    %b = arith.select %is1, %c2, %a : index
    %first = arith.select %is0, %c0, %b : index
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Where the number of ranks is open, as the rank times the length.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %rank = collective.rank on @world : index
    %size = collective.size on @world : index
    %eight = arith.constant 8 : index
    %length = arith.divui %eight, %size : index
    %first = arith.muli %rank, %length : index
    %gp = tensor.extract_slice %r[%first] [%length] [1] : tensor<8xf32> to tensor<?xf32>
    %wp = tensor.extract_slice %w[%first] [%length] [1] : tensor<8xf32> to tensor<?xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<?xf32>, tensor<f32>
    %all = collective.all_gather %n along 0 on @world : tensor<?xf32> -> tensor<?xf32>
    %w1 = tensor.cast %all : tensor<?xf32> to tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Along dimension 1, of a gradient that was scattered so.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<4x4xf32>
    return %one : tensor<4x4xf32>
  }
  func.func @step(%w: tensor<4x4xf32> {train.variable = #w}, %x: tensor<4x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4x4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4x4xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 2 : index
    %first = arith.muli %rank, %length : index
    %gp = collective.reduce_scatter mean %g along 1 on @world : tensor<4x4xf32> -> tensor<4x2xf32>
    %wp = tensor.extract_slice %w[0, %first] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<4x2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 1 on @world : tensor<4x2xf32> -> tensor<4x4xf32>
    return %w1 : tensor<4x4xf32>
  }
}

// -----

// The same ranks by another name.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @listed members(#collective.ranks<[[0, 1, 2, 3]]>)
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %rank = collective.rank on @listed : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %gp = tensor.extract_slice %r[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %wp = tensor.extract_slice %w[%first] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %w1 = collective.all_gather %n along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Over two axes, the last cut undone first.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %outer = collective.rank on @tp : index
    %inner = collective.rank on @dp : index
    %four = arith.constant 4 : index
    %two = arith.constant 2 : index
    %o = arith.muli %outer, %four : index
    %i = arith.muli %inner, %two : index
    %gh = tensor.extract_slice %r[%o] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %gp = tensor.extract_slice %gh[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %wh = tensor.extract_slice %w[%o] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %wp = tensor.extract_slice %wh[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2xf32>, tensor<f32>
    %half = collective.all_gather %n along 0 on @dp : tensor<2xf32> -> tensor<4xf32>
    %w1 = collective.all_gather %half along 0 on @tp : tensor<4xf32> -> tensor<8xf32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Scattered over one axis, reduced over the other, gathered over the one.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %b = collective.all_reduce mean %a on @dp : tensor<4xf32>
    %r = collective.all_gather %b along 0 on @tp : tensor<4xf32> -> tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// A part of one row is joined along any dimension alike.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<2x2xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<2x2xf32>
    return %one : tensor<2x2xf32>
  }
  func.func @step(%w: tensor<2x2xf32> {train.variable = #w}, %x: tensor<2x2xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<2x2xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<2x2xf32>
    %rank = collective.rank on @world : index
    %r = collective.all_reduce mean %g on @world : tensor<2x2xf32>
    %gp = tensor.extract_slice %r[%rank, 0] [1, 2] [1, 1] : tensor<2x2xf32> to tensor<1x2xf32>
    %wp = tensor.extract_slice %w[%rank, 0] [1, 2] [1, 1] : tensor<2x2xf32> to tensor<1x2xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<1x2xf32>, tensor<f32>
    %row = collective.all_gather %n along 1 on @world : tensor<1x2xf32> -> tensor<1x4xf32>
    %flat = tensor.collapse_shape %row [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
    %w1 = tensor.expand_shape %flat [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
    return %w1 : tensor<2x2xf32>
  }
}

// -----

// Each rank adds up what all have.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %all = collective.all_gather %g along 0 on @world : tensor<8xf32> -> tensor<16xf32>
    %a = tensor.extract_slice %all[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %b = tensor.extract_slice %all[8] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %s = arith.addf %a, %b : tensor<8xf32>
    %half = arith.constant dense<0.5> : tensor<8xf32>
    %r = arith.mulf %s, %half : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// This rank's values out of those of all are its own.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %all = collective.all_gather %x along 0 on @world : tensor<8xf32> -> tensor<32xf32>
    %rank = collective.rank on @world : index
    %length = arith.constant 8 : index
    %first = arith.muli %rank, %length : index
    %own = tensor.extract_slice %all[%first] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %g = arith.mulf %w, %own : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// All compare with the first sample of the batch, and with their own.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %all = collective.all_gather %x along 0 on @world : tensor<8xf32> -> tensor<32xf32>
    %anchor = tensor.extract_slice %all[0] [1] [1] : tensor<32xf32> to tensor<1xf32>
    %a = tensor.collapse_shape %anchor [] : tensor<1xf32> into tensor<f32>
    %d = train.scale %x by %a : tensor<8xf32>, tensor<f32>
    %g = arith.mulf %w, %d : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Ranks of one model read the same samples, of one of them.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @tp members(#collective.blocks<2>)
  collective.group @dp members(#collective.strided<2>)
  train.dataset @data {shard = #train.shard<strided, error, @dp>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %b = collective.broadcast %x from 0 on @tp : tensor<8xf32>
    %g = arith.mulf %w, %b : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Reduced to one rank, and sent from there.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %a = collective.reduce mean %g to 0 on @world : tensor<8xf32>
    %r = collective.broadcast %a from 0 on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// What all ranks have may come from one of them.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %b = collective.broadcast %w from 0 on @world : tensor<8xf32>
    %g = arith.mulf %b, %x : tensor<8xf32>
    %r = collective.all_reduce mean %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}

// -----

// Weights of each rank's own, none of them zero.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @good attributes {train.program} {
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
    %i = arith.index_cast %rank : index to i64
    %f = arith.sitofp %i : i64 to f32
    %zero = arith.constant 0.0 : f32
    %f0 = arith.mulf %f, %zero : f32
    %one = arith.constant 1.0 : f32
    %f1 = arith.addf %f0, %one : f32
    %t = tensor.splat %f1 : tensor<8xf32>
    %h = arith.mulf %g, %t : tensor<8xf32>
    %r = collective.all_reduce mean %h on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
