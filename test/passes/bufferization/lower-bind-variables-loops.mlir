// What a loop carries stands in one place: sums are added where they stand, the variable that a loop updates is updated where
// it stands, and nothing is copied.
// RUN: dist-opt %s --lower-bind-variables --one-shot-bufferize="unknown-type-conversion=identity-layout-map" --canonicalize --cse | FileCheck %s

#id = affine_map<(d0) -> (d0)>
module {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[S:[a-z0-9]*]]: memref<4xf32> {{.*}}%[[X:[a-z0-9]*]]: memref<16x4xf32> {{.*}}%[[G:[a-z0-9]*]]: memref<4xf32>
  func.func @step(%s: tensor<4xf32> {train.variable = #train.variable<"s", other>}, %x: tensor<16x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #train.variable<"s", other>}, tensor<4xf32> {train.output = "g"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    // CHECK-NOT: memref.alloc
    // CHECK-NOT: memref.copy
    // CHECK: linalg.fill {{.*}} outs(%[[G]]
    // CHECK: scf.for
    %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero, %last = %s) -> (tensor<4xf32>, tensor<4xf32>) {
      %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<4xf32>
      // CHECK: linalg.generic {{.*}} outs(%[[G]]
      %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%row : tensor<4xf32>) outs(%sum : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      } -> tensor<4xf32>
      %e = tensor.empty() : tensor<4xf32>
      // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[S]] {{.*}} outs(%[[S]]
      %moved = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%row, %last : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %d = arith.maximumf %a, %b : f32
        linalg.yield %d : f32
      } -> tensor<4xf32>
      scf.yield %next, %moved : tensor<4xf32>, tensor<4xf32>
    }
    return %r#1, %r#0 : tensor<4xf32>, tensor<4xf32>
  }
}
