// Pulls and pushes become kernel calls, which know a table by its number; the servers' part goes.
// RUN: dist-opt %s --lower-ps | FileCheck %s
// RUN: dist-opt %s --lower-ps --canonicalize --cse --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s --check-prefix=BUFFERS

// CHECK-NOT: ps.table
// CHECK-NOT: @u(
// CHECK-LABEL: func.func @step
// BUFFERS-LABEL: func.func @step
ps.table @first : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
ps.table @second : tensor<7x2xf32> {initial = dense<0.5> : tensor<7x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> {
  %n = train.sgd %w gradient %g rate %r : tensor<?x2xf32>, tensor<f32>
  return %n : tensor<?x2xf32>
}
func.func @step(%i: tensor<4xi64>, %g: tensor<4x2xf32>, %r: tensor<f32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x2xf32>
  // CHECK: %[[A:.*]] = kernel.pull_rows(%[[I:.*]]) into(%[[E]]) {table = 1 : i64, table_rows = 7 : i64} : (tensor<4xi64>) -> tensor<4x2xf32>
  // BUFFERS: kernel.pull_rows(%{{.*}}) into(%{{.*}}) {table = 1 : i64, table_rows = 7 : i64} : (memref
  %a = ps.pull_rows @second at %i : tensor<4xi64> -> tensor<4x2xf32>
  // CHECK: kernel.push_rows(%[[I]], %{{.*}}, %{{.*}}) into() {table = 1 : i64, table_rows = 7 : i64} : (tensor<4xi64>, tensor<4x2xf32>, tensor<f32>) -> ()
  // BUFFERS: kernel.push_rows(
  ps.push_rows @second at %i, %g with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<f32>
  // A push stands between the same pull before and behind it.
  // CHECK: kernel.push_rows({{.*}} {table = 0 : i64, table_rows = 9 : i64}
  // BUFFERS: kernel.push_rows(
  ps.push_rows @first at %i, %g with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<f32>
  // CHECK: kernel.pull_rows
  // BUFFERS: kernel.pull_rows
  %b = ps.pull_rows @second at %i : tensor<4xi64> -> tensor<4x2xf32>
  return %a, %b : tensor<4x2xf32>, tensor<4x2xf32>
}
