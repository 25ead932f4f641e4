// Tables, pulls and pushes parse and print; what reads tables does not move across what changes them.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s
// RUN: dist-opt %s --emit-bytecode | dist-opt | FileCheck %s
// RUN: dist-opt %s --canonicalize --cse | FileCheck %s --check-prefix=EFFECTS

// CHECK: ps.table @user.weight : tensor<1000x16xf32> {initial = #ps.random<normal, 0.000000e+00 : f64, 1.000000e-02 : f64>, states = [#ps.state<"user.weight.sum", 0.000000e+00 : f64>], update = @update}
ps.table @user.weight : tensor<1000x16xf32> {
  initial = #ps.random<normal, 0.0 : f64, 0.01 : f64>, states = [#ps.state<"user.weight.sum", 0.0 : f64>], update = @update}
// CHECK: ps.table @given hash sum : tensor<2xf64> {initial = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>, update = @plain}
ps.table @given hash sum : tensor<2xf64> {initial = dense<[1.0, 2.0]> : tensor<2xf64>, update = @plain}

func.func private @update(%w: tensor<?x16xf32>, %h: tensor<?x16xf32>, %g: tensor<?x16xf32>, %r: tensor<f32>, %t: tensor<i64>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  return %w, %h : tensor<?x16xf32>, tensor<?x16xf32>
}
func.func private @plain(%w: tensor<?xf64>, %g: tensor<?xf64>) -> tensor<?xf64> {
  return %w : tensor<?xf64>
}

// EFFECTS-LABEL: func.func @step
func.func @step(%i: tensor<?x3xi64>, %k: tensor<4xi32>, %g: tensor<4x16xf32>, %d: tensor<4xf64>, %r: tensor<f32>, %t: tensor<i64>)
    -> (tensor<?x3x16xf32>, tensor<?x3x16xf32>, tensor<?x3x16xf32>) {
  // CHECK: %[[A:.*]] = ps.pull_rows @user.weight at %{{.*}} : tensor<?x3xi64> -> tensor<?x3x16xf32>
  // EFFECTS-NEXT: %[[A:.*]] = ps.pull_rows
  %a = ps.pull_rows @user.weight at %i : tensor<?x3xi64> -> tensor<?x3x16xf32>
  // The same again, and one that nobody uses.
  %b = ps.pull_rows @user.weight at %i : tensor<?x3xi64> -> tensor<?x3x16xf32>
  %unused = ps.pull_rows @given at %k : tensor<4xi32> -> tensor<4xf64>
  // CHECK: ps.push_rows @user.weight at %{{.*}}, %{{.*}} with %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4x16xf32>, tensor<f32>, tensor<i64>
  // EFFECTS-NEXT: ps.push_rows @user.weight
  ps.push_rows @user.weight at %k, %g with %r, %t : tensor<4xi32>, tensor<4x16xf32>, tensor<f32>, tensor<i64>
  // CHECK: ps.push_rows @given at %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4xf64>
  // EFFECTS-NEXT: ps.push_rows @given
  ps.push_rows @given at %k, %d : tensor<4xi32>, tensor<4xf64>
  // EFFECTS-NEXT: %[[C:.*]] = ps.pull_rows
  %c = ps.pull_rows @user.weight at %i : tensor<?x3xi64> -> tensor<?x3x16xf32>
  // EFFECTS-NEXT: return %[[A]], %[[A]], %[[C]]
  return %a, %b, %c : tensor<?x3x16xf32>, tensor<?x3x16xf32>, tensor<?x3x16xf32>
}

// CHECK: ps.table @fc.weight whole sum asynchronous staleness = 4 : tensor<10x16xf32>
ps.table @fc.weight whole sum asynchronous staleness = 4 : tensor<10x16xf32> {initial = #ps.random<uniform, -0.5 : f64, 0.5 : f64>, update = @whole}
// CHECK: ps.table @scale whole asynchronous : tensor<f32>
ps.table @scale whole asynchronous : tensor<f32> {initial = dense<1.0> : tensor<f32>, update = @number}
// CHECK: ps.table @halves hash asynchronous staleness = 2 wire = bf16 : tensor<9x16xf32>
ps.table @halves hash asynchronous staleness = 2 wire = bf16 : tensor<9x16xf32> {initial = #ps.random<uniform, -0.5 : f64, 0.5 : f64>, update = @rows}
// CHECK: ps.table @warms asynchronous warm_up = 20 : tensor<9x16xf32>
ps.table @warms asynchronous warm_up = 20 : tensor<9x16xf32> {initial = #ps.random<uniform, -0.5 : f64, 0.5 : f64>, update = @rows}
// CHECK: ps.table @ahead wire = bf16 prefetch neighbours = 4 : tensor<9x16xf32>
ps.table @ahead wire = bf16 prefetch neighbours = 4 : tensor<9x16xf32> {initial = #ps.random<uniform, -0.5 : f64, 0.5 : f64>, update = @rows}
func.func private @rows(%w: tensor<?x16xf32>, %g: tensor<?x16xf32>) -> tensor<?x16xf32> {
  return %w : tensor<?x16xf32>
}
func.func private @whole(%w: tensor<?x10x16xf32>, %g: tensor<?x10x16xf32>, %r: tensor<f32>) -> tensor<?x10x16xf32> {
  return %w : tensor<?x10x16xf32>
}
func.func private @number(%w: tensor<?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> {
  return %w : tensor<?xf32>
}

func.func @whole_variables(%r: tensor<f32>) -> tensor<10x16xf32> {
  // CHECK: %[[W:.*]] = ps.pull @fc.weight : tensor<10x16xf32>
  %w = ps.pull @fc.weight : tensor<10x16xf32>
  // CHECK: %[[S:.*]] = ps.pull @scale : tensor<f32>
  %s = ps.pull @scale : tensor<f32>
  // CHECK: ps.push @fc.weight, %[[W]] with %{{.*}} : tensor<10x16xf32>, tensor<f32>
  ps.push @fc.weight, %w with %r : tensor<10x16xf32>, tensor<f32>
  // CHECK: ps.push @scale, %[[S]] : tensor<f32>
  ps.push @scale, %s : tensor<f32>
  return %w : tensor<10x16xf32>
}

// What is asked for ahead has no result, and stays.
// EFFECTS-LABEL: func.func @prefetch
func.func @prefetch(%i: tensor<4x3xi64>) {
  // CHECK: ps.prefetch_rows @ahead at %{{.*}} : tensor<4x3xi64>
  // EFFECTS-NEXT: ps.prefetch_rows @ahead
  ps.prefetch_rows @ahead at %i : tensor<4x3xi64>
  return
}
