// What --verify says of programs that are not those of one device.
// RUN: not dist-opt %s --split-input-file --verify=ranks=2 -o /dev/null 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
module @summed attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %m = onnx.ReduceMean %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %g = arith.mulf %w, %m : tensor<4xf32>
    %r = collective.all_reduce sum %g on @world : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: variable 'w' of rank 0 of 2 is not that of one device after step 1: it changes x 2: counted by every rank
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// The root of a mean is not the mean of roots: the note says where it began.
#w = #train.variable<"w", trainable>
module @root attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %m = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %s = onnx.Sqrt %m : (tensor<f32>) -> tensor<f32>
    // CHECK: :[[# @LINE - 1]]:{{[0-9]+}}: error: metric 'loss' of rank 0 of 2 is not that of one device after step 1: it is another number
    // CHECK: :[[# @LINE - 2]]:{{[0-9]+}}: note: at {{.*}}:[[# @LINE - 2]]:{{[0-9]+}} ranks first have neither the value of one device, nor their samples of it, nor parts that add up to it
    %r = collective.all_reduce mean %s on @world : tensor<f32>
    return %w, %r : tensor<4xf32>, tensor<f32>
  }
}

// -----

// The batch is fixed, so ranks are given the same samples, and then others.
#w = #train.variable<"w", trainable>
module @apart attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: variable 'w' of rank 1 of 2 is not that of rank 0 after step 1, where their samples differ: nothing makes it equal on all ranks
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module @alone attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}) {
    %rank = collective.rank on @world : index
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %rank, %c0 : index
    %r = scf.if %is -> (tensor<4xf32>) {
      // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: rank 0 waits for ever at 'collective.all_reduce' of 1 values on @world
      %s = collective.all_reduce mean %w on @world : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    } else {
      scf.yield %w : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: --verify compares training programs, which have an @initialize and a @step: give the model a recipe (--train)
module @none {
}

// -----

// Of a program that is made for its ranks, what is left on one is what each of its groups does of one rank; parts have no shape there.
#w = #train.variable<"w", trainable>
#m = #train.variable<"m", state, shard<4>>
// CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: --verify compares with one device, and the program is made for 2 ranks already: give it as it is before specialize-world
module @made attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #m}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %m = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %m : tensor<4xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %m: tensor<2xf32> {train.variable = #m})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #m}) {
    return %w, %m : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module @unknown attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    %c1 = arith.constant 1 : index
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'tensor.generate' has no interpreter, so the program cannot be compared with that of one device (see lib/interpreter)
    %g = tensor.generate {
    ^bb0(%i: index):
      %v = tensor.extract %w[%i] : tensor<4xf32>
      tensor.yield %v : f32
    } : tensor<4xf32>
    return %g : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module @computed attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: the first value of variable 'n' is computed, which is not compared
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #train.variable<"n", state>}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %n = arith.constant dense<1> : tensor<i64>
    %m = arith.addi %n, %n : tensor<i64>
    return %w, %m : tensor<4xf32>, tensor<i64>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %n: tensor<i64> {train.variable = #train.variable<"n", state>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #train.variable<"n", state>}) {
    return %w, %n : tensor<4xf32>, tensor<i64>
  }
}

// -----

#w = #train.variable<"w", trainable>
module @without_role attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: argument 1 of @step has no role, so nobody knows what to give it
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %k: tensor<2xi64> {train.random = #train.random<per_rank>})
      -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
}

// -----

module @scalars attributes {train.program} {
  func.func @initialize() {
    return
  }
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: --verify compares programs on tensors of known rank, and @step takes or gives 'f32'
  func.func @step(%x: f32) {
    return
  }
}

// -----

// CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: --verify compares training programs
module @external attributes {train.program} {
  func.func private @initialize()
  func.func private @step()
}

// -----

// Servers that add up what are means of each rank's samples already.
module @served attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: variable 'w' of rank 0 of 2 is not that of one device after step 1: it changes x 2: counted by every rank
  ps.table @w whole sum : tensor<4xf32> {initial = dense<1.0> : tensor<4xf32>, update = @w.update}
  func.func @w.update(%row: tensor<?x4xf32>, %g: tensor<?x4xf32>, %lr: tensor<f32>) -> tensor<?x4xf32> {
    %new = train.sgd %row gradient %g rate %lr : tensor<?x4xf32>, tensor<f32>
    return %new : tensor<?x4xf32>
  }
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>}) {
    %w = ps.pull @w : tensor<4xf32>
    %m = onnx.ReduceMean %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %g = arith.mulf %w, %m : tensor<4xf32>
    ps.push @w, %g with %lr : tensor<4xf32>, tensor<f32>
    return
  }
}

// -----

// Servers wait for one push of each rank.
module @pushed_twice attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: rank 0 of 1 pushes 2 times in a step to table 'w', whose servers wait for one push of each rank
  ps.table @w : tensor<8x4xf32> {initial = #ps.random<normal, 0.0 : f64, 0.1 : f64>, update = @w.update}
  func.func @w.update(%rows: tensor<?x4xf32>, %g: tensor<?x4xf32>, %lr: tensor<f32>) -> tensor<?x4xf32> {
    %new = train.sgd %rows gradient %g rate %lr : tensor<?x4xf32>, tensor<f32>
    return %new : tensor<?x4xf32>
  }
  func.func @initialize() {
    return
  }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>}) {
    %rows = ps.pull_rows @w at %i : tensor<?xi64> -> tensor<?x4xf32>
    ps.push_rows @w at %i, %rows with %lr : tensor<?xi64>, tensor<?x4xf32>, tensor<f32>
    ps.push_rows @w at %i, %rows with %lr : tensor<?xi64>, tensor<?x4xf32>, tensor<f32>
    return
  }
}

// -----

// What is evaluated of a sample must not hang on the others that its rank evaluates.
#w = #train.variable<"w", trainable>
module @beside attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
  func.func @evaluate(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?xf32> {train.metric = "loss"}) {
    %m = onnx.ReduceMean %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %d = onnx.Sub %x, %m : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'loss' that rank 0 of 2 evaluates is not that of one device after step 1: element [0] is another number, as 2 of 2 are
    %s = onnx.ReduceMean %d {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
    return %s : tensor<?xf32>
  }
}

// -----

// The mean of batches is no sum of theirs.
#w = #train.variable<"w", trainable>
module @combined attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
  func.func @evaluate(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.batch_sum = "loss"}) {
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: 'loss' that rank 0 of 2 evaluates is not that of one device after step 1: it is x 2: counted by every rank
    %m = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    return %m : tensor<f32>
  }
}
