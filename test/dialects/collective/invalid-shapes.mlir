// One negative test for each constraint of all_gather and reduce_scatter.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @all_gather_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_gather_c1: @world names no collective.group}}
  %0 = collective.all_gather %a along 0 on @world : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

collective.group @world
func.func @all_gather_c2_empty_bucket() {
  // expected-error @below {{violates all_gather_c2: a bucket holds at least one input}}
  "collective.all_gather"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, axis = 0 : i64} : () -> ()
  return
}

// -----

collective.group @world
func.func @all_gather_c3_missing_destination(%a: memref<4xf32>) {
  // expected-error @below {{violates all_gather_c3: expected one destination for each memref}}
  "collective.all_gather"(%a) {group = @world, operandSegmentSizes = array<i32: 1, 0>, axis = 0 : i64} : (memref<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @all_gather_c4_axis_beyond_rank(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_gather_c4: axis 1 is not a dimension of 'tensor<4xf32>'}}
  %0 = collective.all_gather %a along 1 on @world : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

collective.group @world {size = 3 : i64}
func.func @all_gather_c5_not_multiplied(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_gather_c5: expected 'tensor<4xf32>' with dimension 0 multiplied by the size of the group, got 'tensor<8xf32>'}}
  %0 = collective.all_gather %a along 0 on @world : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

collective.group @world
func.func @all_gather_c5_no_multiple(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_gather_c5: expected 'tensor<4xf32>' with dimension 0 multiplied}}
  %0 = collective.all_gather %a along 0 on @world : tensor<4xf32> -> tensor<6xf32>
  return
}

// -----

collective.group @world
func.func @all_gather_c5_other_dimension(%a: tensor<4x2xf32>) {
  // expected-error @below {{violates all_gather_c5: expected 'tensor<4x2xf32>' with dimension 0 multiplied}}
  %0 = collective.all_gather %a along 0 on @world : tensor<4x2xf32> -> tensor<?x3xf32>
  return
}

// -----

func.func @reduce_scatter_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_scatter_c1: @world names no collective.group}}
  %0 = collective.reduce_scatter sum %a along 0 on @world : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

collective.group @world
func.func @reduce_scatter_c2_empty_bucket() {
  // expected-error @below {{violates reduce_scatter_c2: a bucket holds at least one input}}
  "collective.reduce_scatter"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, axis = 0 : i64, reduction = 0 : i32} : () -> ()
  return
}

// -----

collective.group @world
func.func @reduce_scatter_c3_mixed_forms(%a: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @below {{violates reduce_scatter_c3: inputs are all tensors or all memrefs}}
  "collective.reduce_scatter"(%a, %m) {group = @world, operandSegmentSizes = array<i32: 2, 0>, axis = 0 : i64, reduction = 0 : i32} : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @reduce_scatter_c4_negative_axis(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_scatter_c4: axis -1 is not a dimension}}
  %0 = collective.reduce_scatter sum %a along -1 on @world : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

collective.group @world {size = 3 : i64}
func.func @reduce_scatter_c5_remainder(%a: tensor<8xf32>) {
  // expected-error @below {{violates reduce_scatter_c5: expected 'tensor<8xf32>' with dimension 0 divided by the size of the group, got 'tensor<2xf32>'}}
  %0 = collective.reduce_scatter sum %a along 0 on @world : tensor<8xf32> -> tensor<2xf32>
  return
}

// -----

collective.group @world
func.func @reduce_scatter_c6_mean_of_integers(%a: tensor<4xi8>) {
  // expected-error @below {{violates reduce_scatter_c6: the mean of 'i8' elements needs a rounding}}
  %0 = collective.reduce_scatter mean %a along 0 on @world : tensor<4xi8> -> tensor<?xi8>
  return
}
