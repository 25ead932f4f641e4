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
