// RUN: dist-opt %s --distribute-at-launch="passes=canonicalize{max-iterations=3} passes=cse" | FileCheck %s
// RUN: dist-opt %s --distribute-at-launch="passes=cse" --distribute-at-launch="passes=symbol-dce" | FileCheck %s --check-prefix=AFTER
// RUN: dist-opt %s --distribute-at-launch="passes=cse" --specialize-world="ranks=2" | FileCheck %s --check-prefix=TWO
// RUN: dist-opt %s --distribute-at-launch="passes=cse" --specialize-world="ranks=1" | FileCheck %s --check-prefix=ONE
// RUN: dist-opt %s --distribute-at-launch | FileCheck %s --check-prefix=NOTHING
// RUN: not dist-opt %s --distribute-at-launch="passes=cheaper" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: module attributes {train.at_launch = ["canonicalize{max-iterations=3}", "cse"], train.program}
// AFTER: module attributes {train.at_launch = ["cse", "symbol-dce"], train.program}
// NOTHING: module attributes {train.program}
// UNKNOWN: error: 'cheaper' cannot be run at launch: the pass 'cheaper' is not one of those that may wait; these may: canonicalize,

// Two equal constants are one where cse has run.
// TWO: module attributes {train.program}
// TWO: func.func @step
// TWO-COUNT-1: arith.constant
// TWO-NOT: arith.constant
// ONE: module attributes {train.program}
// ONE: func.func @step
// ONE-COUNT-2: arith.constant
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() {
    return
  }
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.output = "a"}, tensor<f32> {train.output = "b"}) {
    %a = arith.constant dense<1.0> : tensor<f32>
    %b = arith.constant dense<1.0> : tensor<f32>
    return %a, %b : tensor<f32>, tensor<f32>
  }
}
