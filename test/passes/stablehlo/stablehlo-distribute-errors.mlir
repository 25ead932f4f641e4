// What cannot be divided among ranks is an error at the operation.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stablehlo-import-roles --stablehlo-distribute=ranks=2

module @sorts_samples {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    // expected-error @+1 {{'stablehlo.sort' sorts along dimension 0, which holds the samples}}
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @takes_some {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    // expected-error @+1 {{'stablehlo.slice' takes some of the samples: dimension 0, which holds them, must be taken whole}}
    %0 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 4, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x4xf32>) -> tensor<4x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<4x4xf32>
  }
}

// -----

module @pairs_of_samples {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x8xf32>) {
    // expected-error @+1 {{'stablehlo.dot_general' multiplies samples with other samples: their dimensions are not the same}}
    %0 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x8xf32>
  }
}

// -----

module @unknown_code {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    // expected-error @+1 {{'stablehlo.custom_call' calls code that is not known}}
    %0 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack"}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @draws {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    %l = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %s = "stablehlo.constant"() <{value = dense<[8, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    // expected-error @+1 {{'stablehlo.rng' draws numbers without a key, so that ranks would draw different ones}}
    %0 = "stablehlo.rng"(%l, %l, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @other_dialect {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    // expected-error @+1 {{'acme.mix' is not known: there is no rule that says what it does to the parts of a batch}}
    %0 = "acme.mix"(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @reduced_already {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    // expected-error @+1 {{'stablehlo.all_reduce' is already of a program for several ranks; expected one for one device}}
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @odd_start {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %one = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
    // expected-error @+1 {{reduces over the samples from an initial value that every rank would count; start from a constant zero}}
    %0 = "stablehlo.reduce"(%x, %one) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %w, %0 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

module @mixed_axes {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x8xf32>) -> (tensor<4xf32>, tensor<8x8xf32>) {
    %t = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @+1 {{'stablehlo.add' combines a value whose samples lie along dimension 0 with one whose samples lie along 1}}
    %0 = "stablehlo.add"(%x, %t) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x8xf32>
  }
}

// -----

module @rows_of_others {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>, %i: tensor<8x1xi32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    // expected-error @+1 {{'stablehlo.gather' may take rows of other samples}}
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<8x1xi32>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @last_write_wins {
  func.func public @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>, %i: tensor<8x1xi32>) -> tensor<4x4xf32> {
    // expected-error @+1 {{'stablehlo.scatter' writes rows for several samples with something else than add}}
    %0 = "stablehlo.scatter"(%w, %i, %x) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<4x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module @odd_batch {
  // expected-error @+1 {{2 ranks do not divide the batch of 7 samples}}
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<7x4xf32>) -> (tensor<4xf32>, tensor<7x4xf32>) {
    return %w, %x : tensor<4xf32>, tensor<7x4xf32>
  }
}

// -----

module @joined {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<16x4xf32>) {
    // expected-error @+1 {{'stablehlo.concatenate' joins values along dimension 0, which holds the samples: the blocks of the ranks would mix}}
    %0 = "stablehlo.concatenate"(%x, %x) <{dimension = 0 : i64}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<16x4xf32>
  }
}

// -----

module @unsigned_sum {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xui32>) -> (tensor<4xf32>, tensor<4xui32>) {
    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
    // expected-error @+1 {{its add over ranks is of 'ui32', which ranks cannot reduce}}
    %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
      %1 = "stablehlo.add"(%a, %b) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      "stablehlo.return"(%1) : (tensor<ui32>) -> ()
    }) : (tensor<8x4xui32>, tensor<ui32>) -> tensor<4xui32>
    return %w, %0 : tensor<4xf32>, tensor<4xui32>
  }
}

// -----

module @no_dimensions {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // expected-error @+1 {{'stablehlo.reduce' is not well formed: expected static tensors, and operands, results and regions as its specification has them}}
    %0 = "stablehlo.reduce"(%x) : (tensor<8x4xf32>) -> tensor<4xf32>
    return %w, %0 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

module @no_such_dimension {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // expected-error @+1 {{'stablehlo.dot_general' is not well formed, or its samples lie along a dimension that 2 ranks do not divide}}
    %0 = "stablehlo.dot_general"(%w, %x) : (tensor<4xf32>, tensor<8x4xf32>) -> tensor<f32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

module @no_branches {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    // expected-error @+1 {{'stablehlo.case' is not well formed: expected at least 1 regions of one block that return what it gives}}
    %0 = "stablehlo.case"(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %w, %0 : tensor<4xf32>, tensor<8x4xf32>
  }
}

// -----

module @groups_of_samples {
  func.func public @main(%w: tensor<6x2x3xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<6x2x4xf32>, %y: tensor<6x2x3xf32>) -> (tensor<6x2x3xf32>, tensor<2x6x2xf32>) {
    // expected-error @+1 {{'stablehlo.convolution' convolves along a dimension that holds samples, or takes them in groups of which 2 ranks have no equal number}}
    %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<6x2x4xf32>, tensor<6x2x3xf32>) -> tensor<2x6x2xf32>
    return %w, %0 : tensor<6x2x3xf32>, tensor<2x6x2xf32>
  }
}
