// Pushes to servers: once a step and table, with rates that all workers have.
// RUN: dist-opt %s --distribute-verify-replication --split-input-file --verify-diagnostics -o /dev/null

module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %g: tensor<?x2xf32> {train.input = #train.input<"g", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>}) -> (tensor<?x2xf32> {train.output = "w"}) {
    %w = ps.pull_rows @t at %i : tensor<?xi64> -> tensor<?x2xf32>
    ps.push_rows @t at %i, %g with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    return %w : tensor<?x2xf32>
  }
}

// -----
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  // expected-note @below {{argument 1 of @step is this rank's part of "g" of dataset @data}}
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %g: tensor<?x2xf32> {train.input = #train.input<"g", @data>}) {
    // expected-note @below {{and so does the result of 'onnx.ReduceSum'}}
    %r = onnx.ReduceSum %g {keepdims = 0 : i64} : (tensor<?x2xf32>) -> tensor<f32>
    // expected-error @below {{workers push different rates or counters to @t}}
    ps.push_rows @t at %i, %g with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    return
  }
}

// -----
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %g: tensor<?x2xf32> {train.input = #train.input<"g", @data>}) {
    // expected-note @below {{the first one}}
    ps.push_rows @t at %i, %g : tensor<?xi64>, tensor<?x2xf32>
    // expected-error @below {{a second push to @t in one step: servers update a table once}}
    ps.push_rows @t at %i, %g : tensor<?xi64>, tensor<?x2xf32>
    return
  }
}

// -----
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %g: tensor<?x2xf32> {train.input = #train.input<"g", @data>}, %c: tensor<f32>) {
    %b = arith.constant true
    scf.if %b {
      // expected-error @below {{a push to @t stands in 'scf.if', but servers wait for one push of each worker in a step}}
      ps.push_rows @t at %i, %g : tensor<?xi64>, tensor<?x2xf32>
    }
    return
  }
}

// -----
// A push that was deleted.
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  // expected-error @below {{@step does not push to @t, but servers wait for one push of each worker in a step}}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}) -> (tensor<?x2xf32> {train.output = "w"}) {
    %w = ps.pull_rows @t at %i : tensor<?xi64> -> tensor<?x2xf32>
    return %w : tensor<?x2xf32>
  }
}

// -----
// A pull that was deleted.
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  // expected-error @below {{@step pushes to @t but does not pull from it}}
  ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step() {
    %g = arith.constant dense<1.0> : tensor<2xf32>
    ps.push @t, %g : tensor<2xf32>
    return
  }
}

// -----
// Workers that have no common steps do not meet, and what they keep is their own.
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t whole asynchronous staleness = 2 : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() -> (tensor<2xf32> {train.variable = #train.variable<"mean", other>}) {
    %m = arith.constant dense<0.0> : tensor<2xf32>
    return %m : tensor<2xf32>
  }
  func.func @step(%m: tensor<2xf32> {train.variable = #train.variable<"mean", other>}) -> (tensor<2xf32> {train.variable = #train.variable<"mean", other>}) {
    %w = ps.pull @t : tensor<2xf32>
    // expected-error @below {{is reached by workers that have no common steps}}
    %g = collective.all_reduce mean %w on @world : tensor<2xf32>
    ps.push @t, %g : tensor<2xf32>
    return %w : tensor<2xf32>
  }
}

// -----
// Servers divide by the number of workers, and by no number of micro-batches.
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %w = ps.pull_rows @t at %i : tensor<?xi64> -> tensor<?x2xf32>
    %zeros = train.zero_batch like %i : tensor<?xi64> -> tensor<?x2xf32>
    %g = scf.for %n = %c0 to %c4 step %c1 iter_args(%all = %zeros) -> (tensor<?x2xf32>) {
      %part = train.micro_batch %n of 4 in %w : tensor<?x2xf32> -> tensor<?x2xf32>
      %next = train.put_micro_batch %part into %all at %n of 4 : tensor<?x2xf32> into tensor<?x2xf32>
      scf.yield %next : tensor<?x2xf32>
    }
    %ii = tensor.concat dim(0) %i, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %gg = tensor.concat dim(0) %g, %w : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    // expected-error @below {{'train.merge_rows' adds up 4 turns of the gradient of variable "t" and nothing divides the sum: scale each by 1/4}}
    %mi, %mg = train.merge_rows %ii, %gg of 9 : tensor<?xi64>, tensor<?x2xf32> -> tensor<?xi64>, tensor<?x2xf32>
    // expected-note @below {{'ps.push_rows' takes it here}}
    ps.push_rows @t at %mi, %mg : tensor<?xi64>, tensor<?x2xf32>
    return
  }
}

// -----
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  ps.table @w whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %v = ps.pull @w : tensor<2xf32>
    %w = ps.pull_rows @t at %i : tensor<?xi64> -> tensor<?x2xf32>
    %zeros = train.zero_batch like %i : tensor<?xi64> -> tensor<?x2xf32>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    // expected-error @below {{'scf.for' adds up 4 turns of the gradient of variable "w" and nothing divides the sum: scale each by 1/4}}
    %g:2 = scf.for %n = %c0 to %c4 step %c1 iter_args(%all = %zeros, %sum = %none) -> (tensor<?x2xf32>, tensor<2xf32>) {
      %part = train.micro_batch %n of 4 in %w : tensor<?x2xf32> -> tensor<?x2xf32>
      %share = train.scale %part by %quarter : tensor<?x2xf32>, tensor<f32>
      %next = train.put_micro_batch %share into %all at %n of 4 : tensor<?x2xf32> into tensor<?x2xf32>
      %more = arith.addf %sum, %v : tensor<2xf32>
      scf.yield %next, %more : tensor<?x2xf32>, tensor<2xf32>
    }
    %mi, %mg = train.merge_rows %i, %g#0 of 9 : tensor<?xi64>, tensor<?x2xf32> -> tensor<?xi64>, tensor<?x2xf32>
    ps.push_rows @t at %mi, %mg : tensor<?xi64>, tensor<?x2xf32>
    // expected-note @below {{'ps.push' takes it here}}
    ps.push @w, %g#1 : tensor<2xf32>
    return
  }
}

// -----
// What is added up before it is pushed stays so: the servers take the mean of equal sums.
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @w whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%x: tensor<2xf32> {train.input = #train.input<"x", @data>}) {
    %v = ps.pull @w : tensor<2xf32>
    %g = arith.mulf %v, %x : tensor<2xf32>
    // expected-error @below {{'collective.all_reduce' makes the gradient of variable "w" N times the mean over the ranks: a sum over ranks is not divided by their number; use mean}}
    %sum = collective.all_reduce sum %g on @world : tensor<2xf32>
    // expected-note @below {{'ps.push' takes it here}}
    ps.push @w, %sum : tensor<2xf32>
    return
  }
}
