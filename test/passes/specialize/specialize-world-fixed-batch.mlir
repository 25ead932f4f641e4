// A node of a model whose batch is fixed works on the whole batch: several ranks would have several batches.
// RUN: not dist-opt %s --specialize-world="ranks=3" 2>&1 | FileCheck %s
// RUN: dist-opt %s --specialize-world="ranks=1" | FileCheck %s --check-prefix=ONE

// CHECK: error: works on the whole batch, which this model fixes: each of 3 ranks would have a batch of its own; export the model with a symbolic batch, or train it on one rank
// ONE: module attributes {train.program}
module attributes {train.program, train.fixed_batch = loc("pairs")} {
  collective.group @world
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
