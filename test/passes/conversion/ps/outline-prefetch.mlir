// What a step will pull of tables that are marked, as a function of its batch.
// RUN: dist-opt %s --outline-prefetch --split-input-file --verify-diagnostics | FileCheck %s

// All inputs, in their order, and what computes the indices; nothing of the rows.
// CHECK: func.func @prefetch(%[[X:.*]]: tensor<4xf32> {train.input = #train.input<"x", @data>}, %[[I:.*]]: tensor<4xi64> {train.input = #train.input<"i", @data>}) {
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1>
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]], %[[C]]
// CHECK-NEXT: ps.prefetch_rows @t at %[[I]] : tensor<4xi64>
// CHECK-NEXT: ps.prefetch_rows @t at %[[J]] : tensor<4xi64>
// CHECK-NEXT: return
module {
  train.dataset @data {global_batch = 4 : i64}
  ps.table @t prefetch : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  ps.table @other : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %g : tensor<?x2xf32> }
  func.func @step(%v: tensor<4xi64> {train.variable = #train.variable<"v", other>}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
      %i: tensor<4xi64> {train.input = #train.input<"i", @data>}) -> (tensor<4xi64> {train.variable = #train.variable<"v", other>}) {
    %a = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
    %one = arith.constant dense<1> : tensor<4xi64>
    %j = arith.addi %i, %one : tensor<4xi64>
    %b = ps.pull_rows @t at %j : tensor<4xi64> -> tensor<4x2xf32>
    %c = ps.pull_rows @other at %v : tensor<4xi64> -> tensor<4x2xf32>
    return %v : tensor<4xi64>
  }
}

// -----

// CHECK-NOT: @prefetch
module {
  train.dataset @data {global_batch = 4 : i64}
  ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %g : tensor<?x2xf32> }
  func.func @step(%i: tensor<4xi64> {train.input = #train.input<"i", @data>}) {
    %a = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
    return
  }
}

// -----

module {
  train.dataset @data {global_batch = 4 : i64}
  ps.table @t prefetch : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %g : tensor<?x2xf32> }
  func.func @step(%v: tensor<4xi64> {train.variable = #train.variable<"v", other>}) -> (tensor<4xi64> {train.variable = #train.variable<"v", other>}) {
    // expected-error @below {{cannot ask ahead for rows of @t: the index depends on variable "v"}}
    %a = ps.pull_rows @t at %v : tensor<4xi64> -> tensor<4x2xf32>
    return %v : tensor<4xi64>
  }
}

// -----

module {
  train.dataset @data {global_batch = 4 : i64}
  ps.table @t prefetch : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
  func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %g : tensor<?x2xf32> }
  // expected-error @below {{@prefetch is the name of the function that asks for rows ahead}}
  func.func private @prefetch()
  func.func @step(%i: tensor<4xi64> {train.input = #train.input<"i", @data>}) {
    %a = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
    return
  }
}
