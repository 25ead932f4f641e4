// Values spread through calls: into functions that only this module calls, and out of them.
// RUN: dist-opt %s --distribute-print-uniformity -o /dev/null | FileCheck %s

collective.group @world

func.func private @unknown(tensor<f32>) -> tensor<f32>

// CHECK-LABEL: @called_with_uniform_values
// CHECK: uniform argument
func.func private @called_with_uniform_values(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// CHECK-LABEL: @called_with_a_varying_value_once
// CHECK: varying argument
func.func private @called_with_a_varying_value_once(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// Who else calls a function whose address is taken is not known.
// CHECK-LABEL: @known_by_its_name
// CHECK: varying argument
func.func private @known_by_its_name(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// CHECK-LABEL: @called_by_some_ranks
func.func private @called_by_some_ranks(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: divergent {{.*}}collective.all_reduce
  %0 = collective.all_reduce sum %x on @world : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @leaves_at_different_points
func.func private @leaves_at_different_points(%x: i32) -> i32 {
  %rank = collective.rank on @world : index
  %zero = arith.constant 0 : index
  %flag = arith.cmpi eq, %rank, %zero : index
  cf.cond_br %flag, ^a, ^b
^a:
  return %x : i32
^b:
  return %x : i32
}

// CHECK-LABEL: @caller
func.func @caller(%x: tensor<f32>, %w: tensor<f32> {train.variable = #train.variable<"w", other>},
                  %n: i32 {train.variable = #train.variable<"n", other>}, %flag: i1) {
  // CHECK: varying %{{.*}} = {{.*}}call @unknown
  %0 = call @unknown(%w) : (tensor<f32>) -> tensor<f32>
  // CHECK: uniform %{{.*}} = {{.*}}call @called_with_uniform_values
  %1 = call @called_with_uniform_values(%w) : (tensor<f32>) -> tensor<f32>
  // Without contexts, one varying call is enough for all.
  // CHECK: varying %{{.*}} = {{.*}}call @called_with_a_varying_value_once
  %2 = call @called_with_a_varying_value_once(%w) : (tensor<f32>) -> tensor<f32>
  %3 = call @called_with_a_varying_value_once(%x) : (tensor<f32>) -> tensor<f32>
  %4 = constant @known_by_its_name : (tensor<f32>) -> tensor<f32>
  // CHECK: varying %{{.*}} = {{.*}}call_indirect
  %5 = call_indirect %4(%w) : (tensor<f32>) -> tensor<f32>
  scf.if %flag {
    %6 = func.call @called_by_some_ranks(%w) : (tensor<f32>) -> tensor<f32>
  }
  // CHECK: varying %{{.*}} = {{.*}}call @leaves_at_different_points
  %7 = call @leaves_at_different_points(%n) : (i32) -> i32
  return
}
