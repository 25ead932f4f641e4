// One negative test for each constraint of the operations on rows.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @scatter_rows_c1_too_few_indices(%i: tensor<3xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{must have one index for each entry of rows, got 'tensor<3xi64>' for 'tensor<4x2xf32>'}}
  %0 = train.scatter_rows %i, %r : tensor<3xi64>, tensor<4x2xf32> -> tensor<9x2xf32>
  return
}

// -----
func.func @scatter_rows_c2_rows_differ(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{must give a known number of rows shaped as the entries of 'tensor<4x2xf32>', not 'tensor<9x3xf32>'}}
  %0 = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<9x3xf32>
  return
}

// -----
func.func @scatter_rows_c2_unknown_table(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{must give a known number of rows}}
  %0 = train.scatter_rows %i, %r : tensor<4xi64>, tensor<4x2xf32> -> tensor<?x2xf32>
  return
}

// -----
func.func @merge_rows_c1_too_few_indices(%i: tensor<3xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{must have one index for each entry of rows}}
  %0:2 = train.merge_rows %i, %r of 9 : tensor<3xi64>, tensor<4x2xf32> -> tensor<4xi64>, tensor<4x2xf32>
  return
}

// -----
func.func @merge_rows_c2_shorter(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{must give a list like its operands and at least as long, not 'tensor<3xi64>' and 'tensor<3x2xf32>'}}
  %0:2 = train.merge_rows %i, %r of 9 : tensor<4xi64>, tensor<4x2xf32> -> tensor<3xi64>, tensor<3x2xf32>
  return
}

// -----
func.func @merge_rows_c2_other_indices(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{must give a list like its operands}}
  %0:2 = train.merge_rows %i, %r of 9 : tensor<4xi64>, tensor<4x2xf32> -> tensor<4xi32>, tensor<4x2xf32>
  return
}

// -----
func.func @merge_rows_c3_negative(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{table_rows must not be negative}}
  %0:2 = train.merge_rows %i, %r of -1 : tensor<4xi64>, tensor<4x2xf32> -> tensor<4xi64>, tensor<4x2xf32>
  return
}

// -----
func.func @merge_rows_c4_other_count(%i: tensor<4xi64>, %r: tensor<4x2xf32>, %n: tensor<f64>) {
  // expected-error @below {{count must have the element type of rows}}
  %0:2 = train.merge_rows %i, %r of 9 over %n : tensor<4xi64>, tensor<4x2xf32>, tensor<f64> -> tensor<4xi64>, tensor<4x2xf32>
  return
}

// -----
func.func @merge_rows_c5_no_such_dataset(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{names no train.dataset: @data}}
  %0:2 = train.merge_rows %i, %r of 9 longest @data : tensor<4xi64>, tensor<4x2xf32> -> tensor<4xi64>, tensor<4x2xf32>
  return
}

// -----
func.func @merge_rows_c5_parts(%i: tensor<4xi64>, %r: tensor<4x2xf32>) {
  // expected-error @below {{parts must be this rank's and the largest number of samples}}
  %0:2 = train.merge_rows %i, %r of 9 {parts = array<i64: 3, 2>} : tensor<4xi64>, tensor<4x2xf32> -> tensor<4xi64>, tensor<4x2xf32>
  return
}

// -----
func.func @gather_rows_c1(%w: tensor<9x2xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{must give one row of 'tensor<9x2xf32>' for each of 'tensor<4xi64>', not 'tensor<4x3xf32>'}}
  %0 = train.gather_rows %w at %i : tensor<9x2xf32>, tensor<4xi64> -> tensor<4x3xf32>
  return
}

// -----
func.func @scatter_update_rows_c1(%w: tensor<9x2xf32>, %i: tensor<4xi64>, %r: tensor<5x2xf32>) {
  // expected-error @below {{must have one row of 'tensor<9x2xf32>' for each of 'tensor<4xi64>', not 'tensor<5x2xf32>'}}
  %0 = train.scatter_update_rows %r at %i into %w : tensor<5x2xf32>, tensor<4xi64>, tensor<9x2xf32>
  return
}
