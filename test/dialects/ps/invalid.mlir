// One negative test for each constraint of the ps dialect.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{uniform: the first number must not be above the second, got 2.000000e+00 and 1.000000e+00}}
func.func @random_c1_bounds() attributes {a = #ps.random<uniform, 2.0 : f64, 1.0 : f64>} { return }

// -----
// expected-error @below {{normal: the standard deviation must not be negative, got -1.000000e+00}}
func.func @random_c1_deviation() attributes {a = #ps.random<normal, 2.0 : f64, -1.0 : f64>} { return }

// -----
// expected-error @below {{must have a static type of at least one dimension, not 'tensor<?x2xf32>'}}
ps.table @table_c1 : tensor<?x2xf32> {initial = #ps.random<normal, 0.0 : f64, 1.0 : f64>, update = @u}

// -----
// expected-error @below {{of type 'tensor<3x2xf32>' cannot begin as 'tensor<2x3xf32>'}}
ps.table @table_c2 : tensor<3x2xf32> {initial = dense<0.0> : tensor<2x3xf32>, update = @u}

// -----
// expected-error @below {{must begin as elements or as #ps.random, not as 3 : i64}}
ps.table @table_c2_number : tensor<3x2xf32> {initial = 3 : i64, update = @u}

// -----
// expected-error @below {{is updated by @u, which is no function here}}
ps.table @table_c3_no_function : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}

// -----
// expected-error @below {{is updated by @u of type '(tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>', but it must take 3 (rows, states, gradients) and then scalars, and give 2, of type 'tensor<?x2xf32>'}}
ps.table @table_c3_states : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, states = [#ps.state<"s", 0.0 : f64>], update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }

// -----
// expected-error @below {{but it must take 2 (rows, states, gradients) and then scalars}}
ps.table @table_c3_scalars : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<1xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }

// -----
func.func @pull_rows_no_table(%i: tensor<4xi64>) {
  // expected-error @below {{names @t, which is no ps.table here}}
  %0 = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
  return
}

// -----
ps.table @t : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @pull_rows_c1(%i: tensor<4xi64>) {
  // expected-error @below {{gives 'tensor<4x3xf32>', but indices 'tensor<4xi64>' of @t give 'tensor<4x2xf32>'}}
  %0 = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x3xf32>
  return
}

// -----
ps.table @t : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @push_rows_c1(%i: tensor<4xi64>, %g: tensor<5x2xf32>) {
  // expected-error @below {{must have one index for each row of @t, got 'tensor<4xi64>' for 'tensor<5x2xf32>'}}
  ps.push_rows @t at %i, %g : tensor<4xi64>, tensor<5x2xf32>
  return
}

// -----
ps.table @t : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<f32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @push_rows_c2(%i: tensor<4xi64>, %g: tensor<4x2xf32>, %r: tensor<f64>) {
  // expected-error @below {{brings scalars 'tensor<f64>', but @u takes 'tensor<f32>'}}
  ps.push_rows @t at %i, %g with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<f64>
  return
}

// -----
// expected-error @below {{travels as 'f64'; bf16 and f16 are known}}
ps.table @table_c5_type wire = f64 : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}

// -----
// expected-error @below {{travels as 'bf16', which is for rows of f32, but is 'tensor<3x2xf64>'}}
ps.table @table_c5_rows wire = bf16 : tensor<3x2xf64> {initial = dense<0.0> : tensor<3x2xf64>, update = @u}

// -----
// expected-error @below {{travels as 'f16', which is for rows of f32, but is whole 'tensor<3x2xf32>'}}
ps.table @table_c5_whole whole wire = f16 : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}

// -----
// expected-error @below {{has staleness = 3, which is a number of steps, from 0, of asynchronous tables}}
"ps.table"() {sym_name = "table_c4", type = tensor<3x2xf32>, initial = dense<0.0> : tensor<3x2xf32>, update = @u, staleness = 3 : i64} : () -> ()

// -----
// expected-error @below {{has warm_up = -1, which is a number of steps, from 0, of asynchronous tables}}
ps.table @table_c4_warm_up asynchronous warm_up = -1 : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}

// -----
ps.table @t whole : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}
func.func private @u(%w: tensor<?x3x2xf32>, %g: tensor<?x3x2xf32>) -> tensor<?x3x2xf32> { return %w : tensor<?x3x2xf32> }
func.func @pull_rows_whole(%i: tensor<4xi64>) {
  // expected-error @below {{names @t, which is whole: it has no rows to choose from}}
  %0 = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
  return
}

// -----
ps.table @t : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @pull_c1_rows() {
  // expected-error @below {{names @t, which has rows: take them by their indices}}
  %0 = ps.pull @t : tensor<3x2xf32>
  return
}

// -----
ps.table @t whole asynchronous staleness = 4 : tensor<f32> {initial = dense<0.0> : tensor<f32>, update = @u}
func.func private @u(%w: tensor<?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> { return %w : tensor<?xf32> }
func.func @pull_c1() {
  // expected-error @below {{gives 'tensor<2xf32>', but @t is 'tensor<f32>'}}
  %0 = ps.pull @t : tensor<2xf32>
  return
}

// -----
ps.table @t whole : tensor<2xf32> {initial = dense<0.0> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @push_c1(%g: tensor<3xf32>) {
  // expected-error @below {{brings 'tensor<3xf32>', but @t is 'tensor<2xf32>'}}
  ps.push @t, %g : tensor<3xf32>
  return
}

// -----
ps.table @t whole : tensor<2xf32> {initial = dense<0.0> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @push_c2(%g: tensor<2xf32>, %r: tensor<f32>) {
  // expected-error @below {{brings scalars 'tensor<f32>', but @u takes}}
  ps.push @t, %g with %r : tensor<2xf32>, tensor<f32>
  return
}

// -----
// expected-error @below {{and give 2, of type 'tensor<?x2xf32>', the state 's' of type 'tensor<?xf32>'}}
ps.table @table_c3_state_per_row : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, states = [#ps.state<"s", 0.0 : f64 per row>], update = @u}
func.func private @u(%w: tensor<?x2xf32>, %s: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) { return %w, %s : tensor<?x2xf32>, tensor<?x2xf32> }

// -----
// expected-error @below {{is whole, but has a state 's' of one number per row}}
ps.table @table_c3_whole_per_row whole : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, states = [#ps.state<"s", 0.0 : f64 per row>], update = @u}

// -----
// expected-error @below {{is whole, and has no rows to ask for ahead}}
ps.table @t whole prefetch : tensor<2xf32> {initial = dense<0.0> : tensor<2xf32>, update = @table_c6}
func.func private @table_c6(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }

// -----
// expected-error @below {{has no attribute 'slow'; its own are asynchronous, initial, neighbours, placement, }}
ps.table @t : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, slow, update = @table_c7}
func.func private @table_c7(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }

// -----
ps.table @t whole : tensor<2xf32> {initial = dense<0.0> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @prefetch_rows_c1(%i: tensor<3xi64>) {
  // expected-error @below {{which is whole: it has no rows to choose from}}
  ps.prefetch_rows @t at %i : tensor<3xi64>
  return
}

// -----
// expected-error @below {{has neighbours = 1, which is a number of workers, from 2, that share what they push to rows in step}}
ps.table @t neighbours = 1 : tensor<3x2xf32> {initial = dense<0.0> : tensor<3x2xf32>, update = @table_c8}
func.func private @table_c8(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }

// -----
// expected-error @below {{has neighbours = 2, which is a number of workers, from 2, that share what they push to rows in step}}
ps.table @t whole neighbours = 2 : tensor<2xf32> {initial = dense<0.0> : tensor<2xf32>, update = @table_c8_whole}
func.func private @table_c8_whole(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
