// RUN: dist-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @scale_by_one
func.func @scale_by_one(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  // CHECK-NEXT: return %arg0
  %0 = train.scale %x by %one : tensor<?xf32>, tensor<f32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @scale_by_two_stays
func.func @scale_by_two_stays(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  // CHECK: train.scale
  %0 = train.scale %x by %two : tensor<?xf32>, tensor<f32>
  return %0 : tensor<?xf32>
}
