// Collectives along any axis become collectives along axis 0: the ranks are a dimension of their own, which is moved.
// RUN: dist-opt %s --lower-collective-axes | FileCheck %s

collective.group @four {size = 4 : i64}
collective.group @unknown members(#collective.per_node)

// CHECK-LABEL: func.func @joined
// CHECK-SAME: (%[[A:.*]]: tensor<3x5xf32>)
func.func @joined(%a: tensor<3x5xf32>) -> tensor<3x20xf32> {
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0, 1], [2]] output_shape [1, 3, 5]
  // CHECK: %[[G:.*]] = collective.all_gather %[[E]] along 0 on @four : tensor<1x3x5xf32> -> tensor<4x3x5xf32>
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[G]] : tensor<4x3x5xf32>) outs(%{{.*}} : tensor<3x4x5xf32>) permutation = [1, 0, 2]
  // CHECK: %[[R:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<3x4x5xf32> into tensor<3x20xf32>
  // CHECK: return %[[R]]
  %0 = collective.all_gather %a along 1 on @four : tensor<3x5xf32> -> tensor<3x20xf32>
  return %0 : tensor<3x20xf32>
}

// CHECK-LABEL: func.func @joined_on_the_root
func.func @joined_on_the_root(%a: tensor<3x5xf32>, %b: tensor<2x2x2xi1>) -> (tensor<3x20xf32>, tensor<2x8x2xi1>) {
  // CHECK: %{{.*}}:2 = collective.gather %{{.*}}, %{{.*}} along 0 to 3 on @four : tensor<1x3x5xf32>, tensor<1x2x2x2xi1> -> tensor<4x3x5xf32>, tensor<4x2x2x2xi1>
  %0:2 = collective.gather %a, %b along 1 to 3 on @four : tensor<3x5xf32>, tensor<2x2x2xi1> -> tensor<3x20xf32>, tensor<2x8x2xi1>
  return %0#0, %0#1 : tensor<3x20xf32>, tensor<2x8x2xi1>
}

// CHECK-LABEL: func.func @cut
// CHECK-SAME: (%[[A:.*]]: tensor<3x8xf32>)
func.func @cut(%a: tensor<3x8xf32>) -> tensor<3x2xf32> {
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0], [1, 2]] output_shape [3, 4, 2]
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<3x4x2xf32>) outs(%{{.*}} : tensor<4x3x2xf32>) permutation = [1, 0, 2]
  // CHECK: %[[S:.*]] = collective.reduce_scatter sum %[[T]] along 0 on @four : tensor<4x3x2xf32> -> tensor<1x3x2xf32>
  // CHECK: %[[R:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1], [2]] : tensor<1x3x2xf32> into tensor<3x2xf32>
  // CHECK: return %[[R]]
  %0 = collective.reduce_scatter sum %a along 1 on @four : tensor<3x8xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @cut_by_the_root
func.func @cut_by_the_root(%a: tensor<3x8xf32>) -> tensor<3x2xf32> {
  // CHECK: collective.scatter %{{.*}} along 0 from 2 on @four : tensor<4x3x2xf32> -> tensor<1x3x2xf32>
  %0 = collective.scatter %a along 1 from 2 on @four : tensor<3x8xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Parts along axis 0 need no transposition before they are sent.
// CHECK-LABEL: func.func @exchanged
// CHECK-SAME: (%[[A:.*]]: tensor<8x3xf32>)
func.func @exchanged(%a: tensor<8x3xf32>) -> tensor<2x12xf32> {
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0, 1], [2]] output_shape [4, 2, 3]
  // CHECK-NEXT: %[[X:.*]] = collective.all_to_all %[[E]] split 0 concat 0 on @four : tensor<4x2x3xf32>
  // CHECK: linalg.transpose ins(%[[X]] : tensor<4x2x3xf32>) outs(%{{.*}} : tensor<2x4x3xf32>)
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<2x4x3xf32> into tensor<2x12xf32>
  %0 = collective.all_to_all %a split 0 concat 1 on @four : tensor<8x3xf32> -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// What is completed later is transposed later; what was prepared is in use until then.
// CHECK-LABEL: func.func @completed_later
// CHECK-SAME: (%[[A:.*]]: tensor<3x5xf32>)
func.func @completed_later(%a: tensor<3x5xf32>) -> (tensor<3x20xf32>, tensor<3x5xf32>) {
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[A]]
  // CHECK-NEXT: %[[G:.*]] = collective.all_gather %[[E]] along 0 on @four {collective.future = 7 : i64}
  %0 = collective.all_gather %a along 1 on @four {collective.future = 7 : i64} : tensor<3x5xf32> -> tensor<3x20xf32>
  // CHECK-NEXT: arith.addf
  %1 = arith.addf %a, %a : tensor<3x5xf32>
  // CHECK-NEXT: %[[C:.*]] = collective.complete 7 of %[[G]] keeping %[[E]] : tensor<4x3x5xf32>, tensor<1x3x5xf32>
  // CHECK: linalg.transpose ins(%[[C]]
  %2 = collective.complete 7 of %0 keeping %a : tensor<3x20xf32>, tensor<3x5xf32>
  return %2, %1 : tensor<3x20xf32>, tensor<3x5xf32>
}

// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%a: tensor<8x4xf32>, %d: tensor<8x?xf32>) -> (tensor<32x4xf32>, tensor<8x?xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: collective.all_gather %{{.*}} along 0
  %0 = collective.all_gather %a along 0 on @four : tensor<8x4xf32> -> tensor<32x4xf32>
  // CHECK-NEXT: collective.all_gather %{{.*}} along 1
  %1 = collective.all_gather %d along 1 on @four : tensor<8x?xf32> -> tensor<8x?xf32>
  // CHECK-NEXT: collective.all_to_all %{{.*}} split 1 concat 1 on @unknown
  %2 = collective.all_to_all %a split 1 concat 1 on @unknown : tensor<8x4xf32>
  // CHECK-NEXT: return
  return %0, %1, %2 : tensor<32x4xf32>, tensor<8x?xf32>, tensor<8x4xf32>
}
