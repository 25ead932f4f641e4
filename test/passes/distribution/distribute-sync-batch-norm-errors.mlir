// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-sync-batch-norm

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{batch-policy=weighted needs a step fed by one dataset, but @step is fed by 2}}
  train.dataset @images {shard = #train.shard<strided, weighted, @world>}
  train.dataset @more
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<f32> {train.input = #train.input<"x", @images>}, %y: tensor<f32> {train.input = #train.input<"y", @more>}) {
    return
  }
}

// -----

// expected-error @below {{is not a training program}}
module {
}
