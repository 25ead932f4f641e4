// Optimizers that leave rows without a gradient alone run on the rows of the list; the others say why they do not.
// RUN: dist-opt %s --train-update-rows --remarks=text 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks

#w = #train.variable<"w", trainable>
#h = #train.variable<"h", state>

// REMARK: variable "w": only the rows that a step touches are updated, at most 4 of 9
// CHECK-LABEL: func.func @sgd
// CHECK-SAME: (%[[W:.*]]: tensor<9x2xf32> {{.*}}, %[[I:.*]]: tensor<4xi64>, %[[R:.*]]: tensor<4x2xf32>, %[[LR:.*]]: tensor<f32>)
func.func @sgd(%w: tensor<9x2xf32> {train.variable = #w}, %i: tensor<4xi64>, %r: tensor<4x2xf32>, %lr: tensor<f32>) -> tensor<9x2xf32> {
  // CHECK-NEXT: %[[MI:.*]], %[[MR:.*]] = train.merge_rows %[[I]], %[[R]] of 9
  // CHECK-NEXT: %[[X:.*]] = train.gather_rows %[[W]] at %[[MI]]
  // CHECK-NEXT: %[[N:.*]] = train.sgd %[[X]] gradient %[[MR]] rate %[[LR]] : tensor<4x2xf32>, tensor<f32>
  // CHECK-NEXT: %[[W1:.*]] = train.scatter_update_rows %[[N]] at %[[MI]] into %[[W]]
  // CHECK-NEXT: return %[[W1]]
  %g = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %w1 = train.sgd %w gradient %g rate %lr : tensor<9x2xf32>, tensor<f32>
  return %w1 : tensor<9x2xf32>
}

// What is merged already is not merged again; what scales the table scales the rows; states are tables too.
// CHECK-LABEL: func.func @adagrad
func.func @adagrad(%w: tensor<9x2xf32> {train.variable = #w}, %h: tensor<9x2xf32> {train.variable = #h}, %i: tensor<4xi64>, %r: tensor<4x2xf32>, %n: tensor<f32>, %s: tensor<f32>, %lr: tensor<f32>, %t: tensor<i64>) -> (tensor<9x2xf32>, tensor<9x2xf32>) {
  // CHECK-NEXT: %[[MI:.*]], %[[MR:.*]] = train.merge_rows %{{.*}}, %{{.*}} of 9 over
  // CHECK-NEXT: %[[S:.*]] = train.scale %[[MR]] by
  // CHECK-NEXT: %[[X:.*]] = train.gather_rows %arg0 at %[[MI]]
  // CHECK-NEXT: %[[H:.*]] = train.gather_rows %arg1 at %[[MI]]
  // CHECK-NEXT: %[[N:.*]], %[[NH:.*]] = train.adagrad %[[X]] gradient %[[S]] accumulator %[[H]] {{.*}} : tensor<4x2xf32>
  // CHECK-DAG: train.scatter_update_rows %[[N]] at %[[MI]] into %arg0
  // CHECK-DAG: train.scatter_update_rows %[[NH]] at %[[MI]] into %arg1
  %m:2 = train.merge_rows %i, %r of 9 over %n : tensor<4xi64>, tensor<4x2xf32>, tensor<f32> -> tensor<4xi64>, tensor<4x2xf32>
  %g = train.scatter_rows %m#0, %m#1 : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %gs = train.scale %g by %s : tensor<9x2xf32>, tensor<f32>
  %w1, %h1 = train.adagrad %w gradient %gs accumulator %h rate %lr step %t {decay_factor = 1.0e-1 : f32} : tensor<9x2xf32>, tensor<f32>
  return %w1, %h1 : tensor<9x2xf32>, tensor<9x2xf32>
}

// REMARK: variable "w" is updated as a whole, though its gradient is a list of rows: weight decay changes every row
// CHECK-LABEL: func.func @weight_decay
func.func @weight_decay(%w: tensor<9x2xf32> {train.variable = #w}, %i: tensor<4xi64>, %r: tensor<4x2xf32>, %lr: tensor<f32>) -> tensor<9x2xf32> {
  // CHECK-NOT: train.gather_rows
  // CHECK: train.sgd {{.*}} : tensor<9x2xf32>
  %g = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %w1 = train.sgd %w gradient %g rate %lr {norm_coefficient = 1.0e-4 : f32} : tensor<9x2xf32>, tensor<f32>
  return %w1 : tensor<9x2xf32>
}

// REMARK: "w" is updated as a whole{{.*}}: optimizer 'momentum' changes every row
// CHECK-LABEL: func.func @momentum
func.func @momentum(%w: tensor<9x2xf32> {train.variable = #w}, %v: tensor<9x2xf32>, %i: tensor<4xi64>, %r: tensor<4x2xf32>, %lr: tensor<f32>) -> tensor<9x2xf32> {
  // CHECK: train.momentum {{.*}} : tensor<9x2xf32>
  %g = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 9.0e-1 : f32} : tensor<9x2xf32>, tensor<f32>
  return %w1 : tensor<9x2xf32>
}

// REMARK: "w" is updated as a whole{{.*}}: weight decay changes every row
// REMARK: "w" is updated as a whole{{.*}}: with epsilon 0 a row without a gradient is not a number
// CHECK-LABEL: func.func @adagrad_of_every_row
func.func @adagrad_of_every_row(%w: tensor<9x2xf32> {train.variable = #w}, %h: tensor<9x2xf32>, %i: tensor<4xi64>, %r: tensor<4x2xf32>, %lr: tensor<f32>) -> (tensor<9x2xf32>, tensor<9x2xf32>) {
  // CHECK-COUNT-2: train.adagrad {{.*}} : tensor<9x2xf32>
  %g = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %w1, %h1 = train.adagrad %w gradient %g accumulator %h rate %lr {norm_coefficient = 1.0e-4 : f32} : tensor<9x2xf32>, tensor<f32>
  %g2 = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %w2, %h2 = train.adagrad %w gradient %g2 accumulator %h rate %lr {epsilon = 0.0 : f32} : tensor<9x2xf32>, tensor<f32>
  return %w1, %w2 : tensor<9x2xf32>, tensor<9x2xf32>
}

// REMARK: a table is updated as a whole{{.*}}: 'func.return' takes its gradient too
// CHECK-LABEL: func.func @another_user
func.func @another_user(%w: tensor<9x2xf32>, %i: tensor<4xi64>, %r: tensor<4x2xf32>, %lr: tensor<f32>) -> (tensor<9x2xf32>, tensor<9x2xf32>) {
  // CHECK: train.sgd {{.*}} : tensor<9x2xf32>
  %g = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  %w1 = train.sgd %w gradient %g rate %lr : tensor<9x2xf32>, tensor<f32>
  return %w1, %g : tensor<9x2xf32>, tensor<9x2xf32>
}

// REMARK: "w" is updated as a whole{{.*}}: a step may touch 9 rows, and the table has 9
// CHECK-LABEL: func.func @as_long_as_the_table
func.func @as_long_as_the_table(%w: tensor<9x2xf32> {train.variable = #w}, %i: tensor<9xi64>, %r: tensor<9x2xf32>, %lr: tensor<f32>) -> tensor<9x2xf32> {
  // CHECK: train.sgd {{.*}} : tensor<9x2xf32>
  %g = train.scatter_rows %i, %r : tensor<9xi64>, tensor<9x2xf32> -> tensor<9x2xf32>
  %w1 = train.sgd %w gradient %g rate %lr : tensor<9x2xf32>, tensor<f32>
  return %w1 : tensor<9x2xf32>
}

// REMARK: "w" is updated as a whole{{.*}}: the number of rows that a step touches is not known
// CHECK-LABEL: func.func @unknown_length
func.func @unknown_length(%w: tensor<9x2xf32> {train.variable = #w}, %i: tensor<?xi64>, %r: tensor<?x2xf32>, %lr: tensor<f32>) -> tensor<9x2xf32> {
  // CHECK: train.sgd {{.*}} : tensor<9x2xf32>
  %g = train.scatter_rows %i, %r : tensor<?xi64>, tensor<?x2xf32> -> tensor<9x2xf32>
  %w1 = train.sgd %w gradient %g rate %lr : tensor<9x2xf32>, tensor<f32>
  return %w1 : tensor<9x2xf32>
}

// A gradient that is no list of rows is nobody's business here.
// CHECK-LABEL: func.func @dense
// REMARK-NOT: remark
func.func @dense(%w: tensor<9x2xf32> {train.variable = #w}, %g: tensor<9x2xf32>, %lr: tensor<f32>) -> tensor<9x2xf32> {
  // CHECK-NEXT: train.sgd
  %w1 = train.sgd %w gradient %g rate %lr : tensor<9x2xf32>, tensor<f32>
  return %w1 : tensor<9x2xf32>
}
