// Lists of rows parse and print, and what is merged before it is added up anyway need not be.
// RUN: dist-opt %s | dist-opt | FileCheck %s
// RUN: dist-opt %s --mlir-print-op-generic | dist-opt | FileCheck %s
// RUN: dist-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL

train.dataset @data {global_batch = 64 : i64}

// CHECK-LABEL: func.func @operations
func.func @operations(%i: tensor<?xi64>, %r: tensor<?x16xf32>, %n: tensor<f32>, %w: tensor<1000x16xf32>) {
  // CHECK: train.scatter_rows %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32>
  %0 = train.scatter_rows %i, %r : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32>
  // CHECK: train.merge_rows %{{.*}}, %{{.*}} of 1000 : tensor<?xi64>, tensor<?x16xf32> -> tensor<?xi64>, tensor<?x16xf32>
  %1:2 = train.merge_rows %i, %r of 1000 : tensor<?xi64>, tensor<?x16xf32> -> tensor<?xi64>, tensor<?x16xf32>
  // CHECK: train.merge_rows %{{.*}}, %{{.*}} of 1000 over %{{.*}} longest @data : tensor<?xi64>, tensor<?x16xf32>, tensor<f32> ->
  %2:2 = train.merge_rows %i, %r of 1000 over %n longest @data : tensor<?xi64>, tensor<?x16xf32>, tensor<f32> -> tensor<?xi64>, tensor<?x16xf32>
  // CHECK: train.merge_rows %{{.*}}, %{{.*}} of 1000 {parts = array<i64: 5, 6>}
  %3:2 = train.merge_rows %i, %r of 1000 {parts = array<i64: 5, 6>} : tensor<?xi64>, tensor<?x16xf32> -> tensor<?xi64>, tensor<?x16xf32>
  // CHECK: train.gather_rows %{{.*}} at %{{.*}} : tensor<1000x16xf32>, tensor<?xi64> -> tensor<?x16xf32>
  %4 = train.gather_rows %w at %i : tensor<1000x16xf32>, tensor<?xi64> -> tensor<?x16xf32>
  // CHECK: train.scatter_update_rows %{{.*}} at %{{.*}} into %{{.*}} : tensor<?x16xf32>, tensor<?xi64>, tensor<1000x16xf32>
  %5 = train.scatter_update_rows %r at %i into %w : tensor<?x16xf32>, tensor<?xi64>, tensor<1000x16xf32>
  return
}

// CANONICAL-LABEL: func.func @merged_twice
// CANONICAL-SAME: (%[[I:.*]]: tensor<?xi32>, %[[R:.*]]: tensor<?xf32>)
func.func @merged_twice(%i: tensor<?xi32>, %r: tensor<?xf32>) -> tensor<9xf32> {
  // CANONICAL-NEXT: %[[T:.*]] = train.scatter_rows %[[I]], %[[R]]
  // CANONICAL-NEXT: return %[[T]]
  %one = arith.constant dense<1.0> : tensor<f32>
  %0:2 = train.merge_rows %i, %r of 9 : tensor<?xi32>, tensor<?xf32> -> tensor<?xi32>, tensor<?xf32>
  %1:2 = train.merge_rows %0#0, %0#1 of 9 over %one : tensor<?xi32>, tensor<?xf32>, tensor<f32> -> tensor<?xi32>, tensor<?xf32>
  %2 = train.scatter_rows %1#0, %1#1 : tensor<?xi32>, tensor<?xf32> -> tensor<9xf32>
  return %2 : tensor<9xf32>
}

// CANONICAL-LABEL: func.func @divided
func.func @divided(%i: tensor<?xi64>, %r: tensor<?xf32>, %n: tensor<f32>) -> tensor<9xf32> {
  // CANONICAL: train.merge_rows
  %0:2 = train.merge_rows %i, %r of 9 over %n : tensor<?xi64>, tensor<?xf32>, tensor<f32> -> tensor<?xi64>, tensor<?xf32>
  %1 = train.scatter_rows %0#0, %0#1 : tensor<?xi64>, tensor<?xf32> -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// Index 9 is not used there and a row here; other indices belong to other rows.
// CANONICAL-LABEL: func.func @of_other_tables_and_lists
func.func @of_other_tables_and_lists(%i: tensor<?xi64>, %r: tensor<?xf32>) -> (tensor<10xf32>, tensor<9xf32>) {
  // CANONICAL: %[[M:.*]], %[[R:.*]] = train.merge_rows
  // CANONICAL: train.scatter_rows %[[M]], %[[R]]
  // CANONICAL: train.scatter_rows %{{.*}}, %[[R]]
  %0:2 = train.merge_rows %i, %r of 9 : tensor<?xi64>, tensor<?xf32> -> tensor<?xi64>, tensor<?xf32>
  %1 = train.scatter_rows %0#0, %0#1 : tensor<?xi64>, tensor<?xf32> -> tensor<10xf32>
  %2 = train.scatter_rows %i, %0#1 : tensor<?xi64>, tensor<?xf32> -> tensor<9xf32>
  return %1, %2 : tensor<10xf32>, tensor<9xf32>
}
