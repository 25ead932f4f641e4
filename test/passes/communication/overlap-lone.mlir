// A collective that is alone in its bucket stays where the program has it, in collective-fuse; collective-overlap starts it where its
// operand is made, also if the program has it last.
// RUN: dist-opt %s --collective-fuse="bucket-bytes=16 first-bucket-bytes=16" --collective-overlap | FileCheck %s

collective.group @world {size = 4 : i64}

// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[FA:.*]] = collective.async {
// CHECK-NEXT:   collective.all_reduce mean %[[A]] on @world : tensor<4xf32>
// CHECK:      %[[B:.*]] = arith.mulf %[[A]], %[[W]]
// CHECK-NEXT: %[[C:.*]] = arith.mulf %[[B]], %[[W]]
// CHECK-NEXT: %[[FC:.*]] = collective.async {
// CHECK-NEXT:   collective.all_reduce mean %[[C]] on @world : tensor<4xf32>
// CHECK:      %[[D:.*]] = arith.mulf %[[C]], %[[C]]
// CHECK-NEXT: %[[RA:.*]] = collective.await %[[FA]]
// CHECK-NEXT: %[[RC:.*]] = collective.await %[[FC]]
// CHECK-NEXT: return %[[RA]], %[[RC]], %[[D]]
func.func @step(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = arith.mulf %x, %x : tensor<4xf32>
  %b = arith.mulf %a, %w : tensor<4xf32>
  %c = arith.mulf %b, %w : tensor<4xf32>
  %d = arith.mulf %c, %c : tensor<4xf32>
  %rc = collective.all_reduce mean %c on @world : tensor<4xf32>
  %ra = collective.all_reduce mean %a on @world : tensor<4xf32>
  return %ra, %rc, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
