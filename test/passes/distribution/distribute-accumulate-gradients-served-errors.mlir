// Lists of rows that cannot be put together of micro-batches, and why.
// RUN: dist-opt %s --distribute-accumulate-gradients="micro-batches=4" --split-input-file --verify-diagnostics

// Which rows a step needs depends on other rows of which dimension 0 is no sample's.
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  ps.table @a : tensor<9x3xf32> {initial = dense<0.5> : tensor<9x3xf32>, update = @a.update}
  ps.table @b : tensor<9x3xf32> {initial = dense<0.5> : tensor<9x3xf32>, update = @a.update}
  func.func @initialize() {
    return
  }
  func.func @step(%j: tensor<?x3xi64> {train.input = #train.input<"j", @data>}, %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>}) {
    %k = onnx.Reshape %j {shape = array<i64: -1>} : (tensor<?x3xi64>) -> tensor<?xi64>
    %a = ps.pull_rows @a at %k : tensor<?xi64> -> tensor<?x3xf32> loc("first")
    %i = onnx.ArgMax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<?xi64>
    %b = ps.pull_rows @b at %i : tensor<?xi64> -> tensor<?x3xf32>
    %ai, %ar = train.merge_rows %k, %b of 9 : tensor<?xi64>, tensor<?x3xf32> -> tensor<?xi64>, tensor<?x3xf32>
    ps.push_rows @a at %ai, %ar with %r : tensor<?xi64>, tensor<?x3xf32>, tensor<f32>
    %bi, %br = train.merge_rows %i, %a of 9 : tensor<?xi64>, tensor<?x3xf32> -> tensor<?xi64>, tensor<?x3xf32>
    // expected-error @below {{what is pushed to @b cannot be put together of micro-batches: how many rows there are is not known before they are pulled, as the index depends on node 'first' (ps.pull_rows); train it without accumulate}}
    ps.push_rows @b at %bi, %br with %r : tensor<?xi64>, tensor<?x3xf32>, tensor<f32>
    return
  }
  func.func private @a.update(%w: tensor<?x3xf32>, %g: tensor<?x3xf32>, %r: tensor<f32>) -> tensor<?x3xf32> {
    %n = train.sgd %w gradient %g rate %r : tensor<?x3xf32>, tensor<f32>
    return %n : tensor<?x3xf32>
  }
}

// -----
// One row for the whole batch: as many for a part of it.
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  ps.table @a : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @a.update}
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"x", @data>}, %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1 : f64>}) {
    // expected-error @below {{the gradient is a list of rows with the indices 'tensor<1xi64>', which follow from the batch but are not more for a larger one: lists of micro-batches cannot be put together}}
    %one = onnx.ArgMax %x {axis = 0 : i64, keepdims = 1 : i64} : (tensor<?xf32>) -> tensor<1xi64>
    %a = ps.pull_rows @a at %one : tensor<1xi64> -> tensor<1x2xf32>
    %g = onnx.Tanh %a : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %ai, %ar = train.merge_rows %one, %g of 9 : tensor<1xi64>, tensor<1x2xf32> -> tensor<1xi64>, tensor<1x2xf32>
    ps.push_rows @a at %ai, %ar with %r : tensor<1xi64>, tensor<1x2xf32>, tensor<f32>
    return
  }
  func.func private @a.update(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> {
    %n = train.sgd %w gradient %g rate %r : tensor<?x2xf32>, tensor<f32>
    return %n : tensor<?x2xf32>
  }
}
