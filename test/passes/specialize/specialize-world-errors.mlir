// RUN: dist-opt %s --split-input-file --verify-diagnostics --specialize-world="ranks=3"

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{the global batch of @data is 64, which 3 ranks do not divide; choose a policy with --distribute="batch-policy=drop|pad|weighted", another global batch or another number of ranks}}
  // expected-note @below {{drop trains on 63 samples a step and leaves 1 out}}
  // expected-note @below {{pad trains on 66 samples a step, 2 of them repeated}}
  // expected-note @below {{weighted gives 22 samples to 1 of the ranks and 21 to the others, and weights what they contribute}}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{the global batch of @data is 2, which 3 ranks do not divide}}
  // expected-note @below {{pad trains on 3 samples a step, 1 of them repeated}}
  train.dataset @data {global_batch = 2 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{the global batch of @data is 2: with batch-policy=weighted some of 3 ranks would get no sample; use fewer ranks or batch-policy=pad}}
  train.dataset @data {global_batch = 2 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

module attributes {train.program} {
  collective.group @world
  // expected-error @below {{@data has no global_batch to divide among 3 ranks; give one with --train="global-batch=N"}}
  train.dataset @data {shard = #train.shard<strided, drop, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

// expected-error @below {{the program is not distributed, so it cannot be specialised for 3 ranks: run --distribute first}}
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

module attributes {train.program} {
  // expected-error @below {{@world has 4 ranks already and cannot be specialised for 3}}
  collective.group @world {size = 4 : i64}
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
