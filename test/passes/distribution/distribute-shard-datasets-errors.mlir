// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-shard-datasets

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{has no train.dataset to shard: every rank would do the same work; bind its inputs to a dataset with train.input}}
  func.func @step() {
    return
  }
}

// -----

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{@data is sharded already, as #train.shard<contiguous, error, @world>, which differs from #train.shard<strided, error, @world>}}
  train.dataset @data {shard = #train.shard<contiguous, error, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

// expected-error @below {{is not a training program}}
module {
}
