// What may be distributed is handed on as it is.
// RUN: dist-opt %s --distribute-verify-single-device | FileCheck %s

// CHECK: module attributes {train.program}
// CHECK-NEXT: train.dataset @data
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
