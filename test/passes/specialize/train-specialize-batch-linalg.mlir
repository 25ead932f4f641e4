// Programs in linalg and tensor: a size that is asked for, or computed from one, becomes a number; destinations give
// results their types.
// RUN: dist-opt %s --train-specialize-batch --split-input-file | FileCheck %s

#n = affine_map<(n) -> (n)>
#none = affine_map<(n) -> ()>

// CHECK-LABEL: @destinations
module @destinations attributes {train.program} {
  train.dataset @data {global_batch = 16 : i64}
  // CHECK: func.func @step(%{{.*}}: tensor<16x4xf32> {{.*}}) -> (tensor<f32> {{.*}}, tensor<32xf32>
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %w: tensor<4xf32>)
      -> (tensor<f32> {train.metric = "loss"}, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    // CHECK: %[[BATCH:.*]] = arith.constant 16 : index
    // CHECK: arith.index_cast %[[BATCH]] : index to i64
    %size = tensor.dim %x, %c0 : tensor<?x4xf32>
    %size_i64 = arith.index_cast %size : index to i64
    %count = arith.sitofp %size_i64 : i64 to f32
    // CHECK: tensor.empty() : tensor<16xf32>
    %empty = tensor.empty(%size) : tensor<?xf32>
    // CHECK: linalg.fill {{.*}} -> tensor<16xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    // CHECK: linalg.matvec {{.*}} outs(%{{.*}} : tensor<16xf32>) -> tensor<16xf32>
    %y = linalg.matvec ins(%x, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%start : tensor<?xf32>) -> tensor<?xf32>
    %loss_empty = tensor.empty() : tensor<f32>
    // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16xf32>)
    %loss = linalg.generic {indexing_maps = [#n, #none], iterator_types = ["reduction"]}
        ins(%y : tensor<?xf32>) outs(%loss_empty : tensor<f32>) {
    ^bb0(%a: f32, %sum: f32):
      %share = arith.divf %a, %count : f32
      %next = arith.addf %sum, %share : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    // CHECK: tensor.empty() : tensor<32xf32>
    %twice = arith.muli %size, %c2 : index
    %more = tensor.empty(%twice) : tensor<?xf32>
    return %loss, %more : tensor<f32>, tensor<?xf32>
  }
}

// -----

// CHECK-LABEL: @slices_and_reshapes
module @slices_and_reshapes attributes {train.program} {
  train.dataset @data {global_batch = 16 : i64}
  // CHECK: func.func @step(%{{.*}}: tensor<16x4xf32> {{.*}}) -> (tensor<8x2x4xf32>, tensor<64xf32>)
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?x2x4xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %size = tensor.dim %x, %c0 : tensor<?x4xf32>
    %half = arith.divui %size, %c2 : index
    // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
    %lower = tensor.extract_slice %x[%half, 0] [%half, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    // CHECK: tensor.extract_slice %{{.*}}[0, 1] [16, 1] [1, 1] : tensor<16x4xf32> to tensor<16xf32>
    %column = tensor.extract_slice %x[0, 1] [%size, 1] [1, 1] : tensor<?x4xf32> to tensor<?xf32>
    // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<16x4xf32>
    %swapped = tensor.insert_slice %lower into %x[0, 0] [%half, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
    // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 2] [16, 1] [1, 1] : tensor<16xf32> into tensor<16x4xf32>
    %moved = tensor.insert_slice %column into %swapped[0, 2] [%size, 1] [1, 1] : tensor<?xf32> into tensor<?x4xf32>
    // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [8, 2, 4] : tensor<16x4xf32> into tensor<8x2x4xf32>
    %pairs = tensor.expand_shape %moved [[0, 1], [2]] output_shape [%half, 2, 4] : tensor<?x4xf32> into tensor<?x2x4xf32>
    // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<16x4xf32> into tensor<64xf32>
    %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
    return %pairs, %flat : tensor<?x2x4xf32>, tensor<?xf32>
  }
}

// -----

// A loop goes as often as the batch says; what it carries keeps its type.
// CHECK-LABEL: @loops
module @loops attributes {train.program} {
  train.dataset @data {global_batch = 16 : i64}
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"x", @data>}) -> (tensor<?xf32> {train.output = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[BATCH:.*]] = arith.constant 16 : index
    %size = tensor.dim %x, %c0 : tensor<?xf32>
    // CHECK: scf.for %{{.*}} = %{{.*}} to %[[BATCH]] {{.*}} -> (tensor<16xf32>)
    %y = scf.for %i = %c0 to %size step %c1 iter_args(%now = %x) -> tensor<?xf32> {
      // CHECK-NOT: tensor.dim
      // CHECK: tensor.insert %{{.*}} : tensor<16xf32>
      %inner = tensor.dim %now, %c0 : tensor<?xf32>
      %mirror = arith.subi %inner, %i : index
      %at = arith.subi %mirror, %c1 : index
      %value = tensor.extract %x[%i] : tensor<?xf32>
      %next = tensor.insert %value into %now[%at] : tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    return %y : tensor<?xf32>
  }
}
