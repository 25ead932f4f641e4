// The number of ranks has no default, and there is at least one.
// RUN: dist-opt %s --verify-diagnostics --specialize-world
// RUN: dist-opt %s --verify-diagnostics --specialize-world="ranks=-2"

// expected-error @below {{specialize-world needs a number of ranks, 1 or more: ranks=N}}
module attributes {train.program} {
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
