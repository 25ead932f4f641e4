// Pushes to servers: once a step and table, with rates that all workers have.
// RUN: dist-opt %s --distribute-verify-replication --split-input-file --verify-diagnostics -o /dev/null

module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
  func.func @initialize() { return }
  func.func @step(%i: tensor<?xi64> {train.input = #train.input<"i", @data>}, %g: tensor<?x2xf32> {train.input = #train.input<"g", @data>},
      %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>}) {
    ps.push_rows @t at %i, %g with %r : tensor<?xi64>, tensor<?x2xf32>, tensor<f32>
    return
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
