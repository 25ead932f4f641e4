// Pulls of several tables become one call.
// RUN: dist-opt %s --lower-ps | FileCheck %s
ps.table @first : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
ps.table @second : tensor<7x2xf32> {initial = dense<0.5> : tensor<7x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> {
  %n = train.sgd %w gradient %g rate %r : tensor<?x2xf32>, tensor<f32>
  return %n : tensor<?x2xf32>
}

// Pulls between which nothing pushes are one call, if their indices can be computed where the first stands.
// CHECK-LABEL: func.func @together
// CHECK-SAME: (%[[I:.*]]: tensor<4xi64>, %[[G:.*]]: tensor<4x2xf32>, %[[R:.*]]: tensor<f32>)
func.func @together(%i: tensor<4xi64>, %g: tensor<4x2xf32>, %r: tensor<f32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: %[[J:.*]] = arith.addi %[[I]], %[[I]]
  // CHECK: %[[A:.*]]:3 = kernel.pull_rows(%[[I]], %[[J]], %[[I]]) into({{.*}}) {{{.*}}tables = array<i64: 0, 1, 0>}
  %a = ps.pull_rows @first at %i : tensor<4xi64> -> tensor<4x2xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[A]]#0, %[[G]]
  %s = arith.addf %a, %g : tensor<4x2xf32>
  %j = arith.addi %i, %i : tensor<4xi64>
  // CHECK-NOT: kernel.pull_rows
  %b = ps.pull_rows @second at %j : tensor<4xi64> -> tensor<4x2xf32>
  %c = ps.pull_rows @first at %i : tensor<4xi64> -> tensor<4x2xf32>
  // What depends on rows comes after them.
  // CHECK: %[[K:.*]] = arith.fptosi
  %f = arith.fptosi %b : tensor<4x2xf32> to tensor<4x2xi64>
  %k = tensor.extract_slice %f[0, 0] [4, 1] [1, 1] : tensor<4x2xi64> to tensor<4xi64>
  // CHECK: kernel.pull_rows({{.*}}) into({{.*}}) {{{.*}}tables = array<i64: 0>}
  %d = ps.pull_rows @first at %k : tensor<4xi64> -> tensor<4x2xf32>
  ps.push_rows @first at %i, %s with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<f32>
  // CHECK: kernel.push_rows
  // CHECK: kernel.pull_rows
  %e = ps.pull_rows @first at %i : tensor<4xi64> -> tensor<4x2xf32>
  return %b, %c, %d, %e : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

