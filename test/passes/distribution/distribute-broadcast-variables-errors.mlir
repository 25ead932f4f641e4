// RUN: dist-opt %s --split-input-file --verify-diagnostics --distribute-broadcast-variables="root=-1"

module attributes {train.program} {
  // expected-error @below {{cannot broadcast from rank -1: root must be 0 or more}}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}

// -----

// expected-error @below {{is not a training program: it lacks the attribute train.program}}
module {
}

// -----

// expected-error @below {{the training program has no function @initialize; it is a forward graph: give it a loss and an optimizer first (--train)}}
module attributes {train.program} {
  func.func @forward() {
    return
  }
}

// -----

// expected-error @below {{the training program has no function @step}}
module attributes {train.program} {
  func.func @initialize() {
    return
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{@step must have a body of one block to be distributed}}
  func.func @step() {
    cf.br ^end
  ^end:
    return
  }
}

// -----

module attributes {train.program} {
  func.func @initialize() {
    return
  }
  // expected-error @below {{@step must have a body of one block to be distributed}}
  func.func private @step()
}
