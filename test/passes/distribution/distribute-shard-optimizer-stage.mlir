// RUN: not dist-opt %s --distribute-shard-optimizer="stage=4" 2>&1 | FileCheck %s

// CHECK: error: shard-optimizer has the stages 1 (states), 2 (states and gradients) and 3 (states, gradients and variables), got 4
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
