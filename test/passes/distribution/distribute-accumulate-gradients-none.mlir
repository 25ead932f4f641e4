// A number of micro-batches that makes no sense.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=0" --verify-diagnostics

// expected-error @below {{micro-batches must be 1 or more, got 0}}
module attributes {train.program} {
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
