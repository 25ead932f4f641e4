// RUN: not dist-opt %s --distribute-shard-optimizer="stage=3" 2>&1 | FileCheck %s

// CHECK: error: shard-optimizer has the stages 1 (states) and 2 (states and gradients), got 3
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
