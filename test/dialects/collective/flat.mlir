// flatten and unflatten: syntax, folds, and what they are on buffers.
// RUN: dist-opt %s | dist-opt | FileCheck %s --check-prefix=TEXT
// RUN: dist-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: dist-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s --check-prefix=BUFFER

// TEXT-LABEL: func.func @there_and_back
// FOLD-LABEL: func.func @there_and_back
// FOLD-SAME: (%[[A:.*]]: tensor<2x5xf32>)
func.func @there_and_back(%a: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // TEXT: %[[F:.*]] = collective.flatten %{{.*}} : tensor<2x5xf32> -> tensor<12xf32>
  %f = collective.flatten %a : tensor<2x5xf32> -> tensor<12xf32>
  // TEXT: collective.unflatten %[[F]] : tensor<12xf32> -> tensor<2x5xf32>
  %b = collective.unflatten %f : tensor<12xf32> -> tensor<2x5xf32>
  // FOLD-NEXT: return %[[A]]
  return %b : tensor<2x5xf32>
}

// TEXT-LABEL: func.func @on_buffers
func.func @on_buffers(%a: memref<2x5xf32>, %f: memref<12xf32>) {
  // TEXT: collective.flatten %{{.*}} into %{{.*}} : memref<2x5xf32> -> memref<12xf32>
  collective.flatten %a into %f : memref<2x5xf32> -> memref<12xf32>
  return
}

// FOLD-LABEL: func.func @a_whole_row
// FOLD-SAME: (%[[F:.*]]: tensor<10xf32>)
func.func @a_whole_row(%f: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) {
  %a = collective.unflatten %f : tensor<10xf32> -> tensor<2x5xf32>
  %g = collective.flatten %a : tensor<2x5xf32> -> tensor<10xf32>
  %h = collective.flatten %f : tensor<10xf32> -> tensor<10xf32>
  %i = collective.unflatten %f : tensor<10xf32> -> tensor<10xf32>
  // FOLD-NEXT: return %[[F]], %[[F]], %[[F]]
  return %g, %h, %i : tensor<10xf32>, tensor<10xf32>, tensor<10xf32>
}

// What stands behind the elements of a longer row need not be zeros.
// FOLD-LABEL: func.func @part_of_a_row
func.func @part_of_a_row(%f: tensor<12xf32>) -> tensor<12xf32> {
  // FOLD: collective.unflatten
  %a = collective.unflatten %f : tensor<12xf32> -> tensor<2x5xf32>
  // FOLD: collective.flatten
  %g = collective.flatten %a : tensor<2x5xf32> -> tensor<12xf32>
  return %g : tensor<12xf32>
}

// FOLD-LABEL: func.func @constants
func.func @constants() -> (tensor<12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<6xf32>) {
  // FOLD-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<12xf32>
  // FOLD-DAG: %[[ROW:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
  // FOLD-DAG: %[[BACK:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x5xf32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %four = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = collective.flatten %zeros : tensor<2x5xf32> -> tensor<12xf32>
  %1 = collective.flatten %four : tensor<2x2xf32> -> tensor<4xf32>
  %2 = collective.unflatten %1 : tensor<4xf32> -> tensor<2x2xf32>
  // Ones with zeros after them are not worth a constant.
  // FOLD: %[[KEPT:.*]] = collective.flatten
  %3 = collective.flatten %ones : tensor<4xf32> -> tensor<6xf32>
  // FOLD: return %[[ZEROS]], %[[ROW]], %[[BACK]], %[[KEPT]]
  return %0, %1, %2, %3 : tensor<12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<6xf32>
}

// BUFFER-LABEL: func.func @views
// BUFFER-SAME: (%[[A:.*]]: memref<2x5xf32>, %[[F:.*]]: memref<12xf32>, %[[S:.*]]: memref<f32>)
func.func @views(%a: tensor<2x5xf32>, %f: tensor<12xf32>, %s: tensor<f32>) -> (tensor<10xf32>, tensor<5x2xf32>, tensor<1xf32>) {
  // BUFFER-DAG: %[[ROW:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [10], strides: [1] : memref<2x5xf32> to memref<10xf32>
  %0 = collective.flatten %a : tensor<2x5xf32> -> tensor<10xf32>
  // BUFFER-DAG: %[[PART:.*]] = memref.reinterpret_cast %[[F]] to offset: [0], sizes: [5, 2], strides: [2, 1] : memref<12xf32> to memref<5x2xf32>
  %1 = collective.unflatten %f : tensor<12xf32> -> tensor<5x2xf32>
  // BUFFER-DAG: %[[ONE:.*]] = memref.reinterpret_cast %[[S]] to offset: [0], sizes: [1], strides: [1] : memref<f32> to memref<1xf32>
  %2 = collective.flatten %s : tensor<f32> -> tensor<1xf32>
  // BUFFER: return %[[ROW]], %[[PART]], %[[ONE]]
  return %0, %1, %2 : tensor<10xf32>, tensor<5x2xf32>, tensor<1xf32>
}

// BUFFER-LABEL: func.func @padded
// BUFFER-SAME: (%[[A:.*]]: memref<2x5xf32>)
func.func @padded(%a: tensor<2x5xf32>) -> tensor<12xf32> {
  // BUFFER: %[[ROW:.*]] = memref.alloc() {{.*}}: memref<12xf32>
  // BUFFER: collective.flatten %[[A]] into %[[ROW]] : memref<2x5xf32> -> memref<12xf32>
  %f = collective.flatten %a : tensor<2x5xf32> -> tensor<12xf32>
  return %f : tensor<12xf32>
}

// A part of a longer row is a view too, wherever it begins.
// BUFFER-LABEL: func.func @part_that_begins_elsewhere
func.func @part_that_begins_elsewhere(%f: tensor<20xf32>, %at: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  // BUFFER-NOT: memref.alloc
  // BUFFER: memref.reinterpret_cast %{{.*}} to offset: [8], sizes: [3, 2], strides: [2, 1] : {{.*}} to memref<3x2xf32, strided<[2, 1], offset: 8>>
  %fixed = tensor.extract_slice %f[8] [10] [1] : tensor<20xf32> to tensor<10xf32>
  %0 = collective.unflatten %fixed : tensor<10xf32> -> tensor<3x2xf32>
  %1 = tensor.extract %0[%c0, %at] : tensor<3x2xf32>
  // BUFFER: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [3, 2], strides: [2, 1] : {{.*}} to memref<3x2xf32, strided<[2, 1], offset: ?>>
  %moving = tensor.extract_slice %f[%at] [10] [1] : tensor<20xf32> to tensor<10xf32>
  %2 = collective.unflatten %moving : tensor<10xf32> -> tensor<3x2xf32>
  %3 = tensor.extract %2[%c0, %at] : tensor<3x2xf32>
  return %1, %3 : f32, f32
}

// What is still needed is not overwritten through the view.
collective.group @world
// BUFFER-LABEL: func.func @needed_afterwards
// BUFFER-SAME: (%[[A:.*]]: memref<2x5xf32>)
func.func @needed_afterwards(%a: tensor<2x5xf32>) -> (tensor<10xf32>, tensor<2x5xf32>) {
  // BUFFER: %[[COPY:.*]] = memref.alloc
  // BUFFER: collective.all_reduce sum %[[COPY]] into %[[COPY]]
  %f = collective.flatten %a : tensor<2x5xf32> -> tensor<10xf32>
  %r = collective.all_reduce sum %f on @world : tensor<10xf32>
  return %r, %a : tensor<10xf32>, tensor<2x5xf32>
}
