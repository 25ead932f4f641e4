// A period that makes no sense.
// RUN: dist-opt %s --distribute-local-sgd="every=0" --verify-diagnostics

// expected-error @below {{every must be 1 or more, got 0}}
module attributes {train.program} {
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
