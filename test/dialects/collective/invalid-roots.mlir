// One negative test for each constraint of the collectives with a root.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_c1: @world names no collective.group}}
  %0 = collective.reduce sum %a to 0 on @world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @reduce_c2_empty_bucket() {
  // expected-error @below {{violates reduce_c2: a bucket holds at least one input}}
  "collective.reduce"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, reduction = 0 : i32, root = 0 : i64} : () -> ()
  return
}

// -----

collective.group @world
func.func @reduce_c3_missing_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_c3: expected one result for each tensor and no destination}}
  "collective.reduce"(%a) {group = @world, operandSegmentSizes = array<i32: 1, 0>, reduction = 0 : i32, root = 0 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @reduce_c4_other_shape(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_c4: expected shape and element type of 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %0 = collective.reduce sum %a to 0 on @world : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

collective.group @world
func.func @reduce_c5_negative_root(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_c5: root -1 is not a rank}}
  %0 = collective.reduce sum %a to -1 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @reduce_c5_root_beyond_the_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_c5: root 4 is not a rank of @world, which has 4}}
  %0 = collective.reduce sum %a to 4 on @world : tensor<4xf32>
  return
}

// -----

collective.group @pairs members(#collective.blocks<2>)
func.func @reduce_c5_root_beyond_its_set(%a: tensor<4xf32>) {
  // expected-error @below {{violates reduce_c5: root 2 is not a rank of @pairs, which has 2}}
  %0 = collective.reduce sum %a to 2 on @pairs : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @reduce_c6_mean_of_integers(%a: tensor<4xui8>) {
  // expected-error @below {{violates reduce_c6: the mean of 'ui8' elements needs a rounding}}
  %0 = collective.reduce mean %a to 0 on @world : tensor<4xui8>
  return
}

// -----

func.func @gather_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates gather_c1: @world names no collective.group}}
  %0 = collective.gather %a along 0 to 0 on @world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @gather_c2_empty_bucket() {
  // expected-error @below {{violates gather_c2: a bucket holds at least one input}}
  "collective.gather"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, axis = 0 : i64, root = 0 : i64} : () -> ()
  return
}

// -----

collective.group @world
func.func @gather_c3_missing_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates gather_c3: expected one result for each tensor and no destination}}
  "collective.gather"(%a) {group = @world, operandSegmentSizes = array<i32: 1, 0>, axis = 0 : i64, root = 0 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @gather_c4_axis_beyond_rank(%a: tensor<4xf32>) {
  // expected-error @below {{violates gather_c4: axis 1 is not a dimension of 'tensor<4xf32>'}}
  %0 = collective.gather %a along 1 to 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @gather_c5_not_multiplied(%a: tensor<4xf32>) {
  // expected-error @below {{violates gather_c5: expected 'tensor<4xf32>' with dimension 0 multiplied by the size of the group, got 'tensor<4xf32>'}}
  %0 = collective.gather %a along 0 to 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @gather_c5_other_dimension(%a: tensor<4x2xf32>) {
  // expected-error @below {{violates gather_c5: expected 'tensor<4x2xf32>' with dimension 0 multiplied}}
  %0 = collective.gather %a along 0 to 0 on @world : tensor<4x2xf32> -> tensor<?x3xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @gather_c6_root_beyond_the_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates gather_c6: root 5 is not a rank of @world, which has 4}}
  %0 = collective.gather %a along 0 to 5 on @world : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

collective.group @world
func.func @gather_c6_negative_root(%a: tensor<4xf32>) {
  // expected-error @below {{violates gather_c6: root -2 is not a rank}}
  %0 = collective.gather %a along 0 to -2 on @world : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

func.func @scatter_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates scatter_c1: @world names no collective.group}}
  %0 = collective.scatter %a along 0 from 0 on @world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @scatter_c2_empty_bucket() {
  // expected-error @below {{violates scatter_c2: a bucket holds at least one input}}
  "collective.scatter"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, axis = 0 : i64, root = 0 : i64} : () -> ()
  return
}

// -----

collective.group @world
func.func @scatter_c3_missing_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates scatter_c3: expected one result for each tensor and no destination}}
  "collective.scatter"(%a) {group = @world, operandSegmentSizes = array<i32: 1, 0>, axis = 0 : i64, root = 0 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @scatter_c4_axis_beyond_rank(%a: tensor<4xf32>) {
  // expected-error @below {{violates scatter_c4: axis 1 is not a dimension of 'tensor<4xf32>'}}
  %0 = collective.scatter %a along 1 from 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @scatter_c5_not_divided(%a: tensor<4xf32>) {
  // expected-error @below {{violates scatter_c5: expected 'tensor<4xf32>' with dimension 0 divided by the size of the group, got 'tensor<4xf32>'}}
  %0 = collective.scatter %a along 0 from 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @scatter_c5_other_dimension(%a: tensor<4x2xf32>) {
  // expected-error @below {{violates scatter_c5: expected 'tensor<4x2xf32>' with dimension 0 divided}}
  %0 = collective.scatter %a along 0 from 0 on @world : tensor<4x2xf32> -> tensor<?x3xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @scatter_c6_root_beyond_the_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates scatter_c6: root 5 is not a rank of @world, which has 4}}
  %0 = collective.scatter %a along 0 from 5 on @world : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

collective.group @world
func.func @scatter_c6_negative_root(%a: tensor<4xf32>) {
  // expected-error @below {{violates scatter_c6: root -2 is not a rank}}
  %0 = collective.scatter %a along 0 from -2 on @world : tensor<4xf32> -> tensor<1xf32>
  return
}
