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
  // CHECK: %[[A:.*]] = kernel.pull_rows(%[[I:.*]]) into(%[[E]]) {kernel.table_entries = [{bytes = 32 : i64, elements = 8 : i64, id = 0 : i64, operation = "pull_rows", source = "{{.*}}", table = "second", type = "f32", wire = "f32"}], nodes = ["{{.*}}"], row_bytes = array<i64: 8>, table_rows = array<i64: 7>, tables = array<i64: 1>} : (tensor<4xi64>) -> tensor<4x2xf32>
  // BUFFERS: kernel.pull_rows(%{{.*}}) into(%{{.*}}) {{{.*}}nodes = ["{{.*}}"], row_bytes = array<i64: 8>, table_rows = array<i64: 7>, tables = array<i64: 1>} : (memref
  %a = ps.pull_rows @second at %i : tensor<4xi64> -> tensor<4x2xf32>
  // CHECK: kernel.push_rows(%[[I]], %{{.*}}, %{{.*}}) into() {kernel.table_entries = [{{.*}}id = 1 : i64, operation = "push_rows"{{.*}}], table = 1 : i64, table_rows = 7 : i64} : (tensor<4xi64>, tensor<4x2xf32>, tensor<f32>) -> ()
  // BUFFERS: kernel.push_rows(
  ps.push_rows @second at %i, %g with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<f32>
  // A push stands between the same pull before and after it.
  // CHECK: kernel.push_rows({{.*}} {{{.*}}table = 0 : i64, table_rows = 9 : i64}
  // BUFFERS: kernel.push_rows(
  ps.push_rows @first at %i, %g with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<f32>
  // CHECK: kernel.pull_rows
  // BUFFERS: kernel.pull_rows
  %b = ps.pull_rows @second at %i : tensor<4xi64> -> tensor<4x2xf32>
  return %a, %b : tensor<4x2xf32>, tensor<4x2xf32>
}

// A whole variable is a table's only row.
// CHECK-LABEL: func.func @whole
ps.table @v whole : tensor<3x2xf32> {initial = dense<0.5> : tensor<3x2xf32>, update = @uv}
ps.table @n whole : tensor<f32> {initial = dense<0.5> : tensor<f32>, update = @un}
func.func private @uv(%w: tensor<?x3x2xf32>, %g: tensor<?x3x2xf32>) -> tensor<?x3x2xf32> { return %w : tensor<?x3x2xf32> }
func.func private @un(%w: tensor<?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> { return %w : tensor<?xf32> }
func.func @whole() {
  // CHECK-DAG: %[[O:.*]] = arith.constant dense<0> : tensor<1xi64>
  // CHECK: %[[R:.*]]:2 = kernel.pull_rows(%{{.*}}, %{{.*}}) into(%{{.*}}, %{{.*}}) {{{.*}}nodes = [{{.*}}], row_bytes = array<i64: 24, 4>, table_rows = array<i64: 1, 1>, tables = array<i64: 2, 3>} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1x3x2xf32>, tensor<1xf32>)
  // CHECK: %[[V:.*]] = tensor.collapse_shape %[[R]]#0 {{\[\[}}0, 1], [2]] : tensor<1x3x2xf32> into tensor<3x2xf32>
  %v = ps.pull @v : tensor<3x2xf32>
  // CHECK: tensor.collapse_shape %[[R]]#1 [] : tensor<1xf32> into tensor<f32>
  %n = ps.pull @n : tensor<f32>
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[V]] {{\[\[}}0, 1], [2]]
  // CHECK: kernel.push_rows(%{{.*}}, %[[E]]) into() {{{.*}}table = 2 : i64, table_rows = 1 : i64}
  ps.push @v, %v : tensor<3x2xf32>
  // CHECK: kernel.push_rows{{.*}} {{{.*}}table = 3 : i64, table_rows = 1 : i64} : (tensor<1xi64>, tensor<1xf32>)
  ps.push @n, %n : tensor<f32>
  return
}

// CHECK-LABEL: func.func @prefetch
func.func @prefetch(%i: tensor<4xi64>) {
  // CHECK: kernel.prefetch_rows(%[[I:.*]], %[[I]]) into() {nodes = [{{.*}}], row_bytes = array<i64: 8, 8>, table_rows = array<i64: 9, 7>, tables = array<i64: 0, 1>} : (tensor<4xi64>, tensor<4xi64>) -> ()
  ps.prefetch_rows @first at %i : tensor<4xi64>
  ps.prefetch_rows @second at %i : tensor<4xi64>
  return
}
