// One negative test for each constraint of the collectives that keep the shape.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @all_reduce_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_reduce_c1: @world names no collective.group}}
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @all_reduce_c2_empty_bucket() {
  // expected-error @below {{violates all_reduce_c2: a bucket holds at least one input}}
  "collective.all_reduce"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, reduction = 0 : i32} : () -> ()
  return
}

// -----

collective.group @world
func.func @all_reduce_c3_mixed_forms(%a: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @below {{violates all_reduce_c3: inputs are all tensors or all memrefs}}
  %0 = "collective.all_reduce"(%a, %m) {group = @world, operandSegmentSizes = array<i32: 2, 0>, reduction = 0 : i32} : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @all_reduce_c3_missing_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_reduce_c3: expected one result for each tensor and no destination}}
  %0 = collective.all_reduce sum %a, %a on @world : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @all_reduce_c3_missing_destination(%a: memref<4xf32>) {
  // expected-error @below {{violates all_reduce_c3: expected one destination for each memref and no result}}
  collective.all_reduce sum %a, %a into %a on @world : memref<4xf32>, memref<4xf32> -> memref<4xf32>
  return
}

// -----

collective.group @world
func.func @all_reduce_c4_other_shape(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_reduce_c4: expected shape and element type of 'tensor<4xf32>', got 'tensor<?xf32>'}}
  %0 = collective.all_reduce sum %a on @world : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

collective.group @world
func.func @all_reduce_c4_other_element_type(%a: memref<4xf32>, %b: memref<4xf16>) {
  // expected-error @below {{violates all_reduce_c4: expected shape and element type of 'memref<4xf32>', got 'memref<4xf16>'}}
  collective.all_reduce sum %a into %b on @world : memref<4xf32> -> memref<4xf16>
  return
}

// -----

collective.group @world
func.func @all_reduce_c5_mean_of_integers(%a: tensor<4xi32>) {
  // expected-error @below {{violates all_reduce_c5: the mean of 'i32' elements needs a rounding; reduce with sum, or convert to a float type first}}
  %0 = collective.all_reduce mean %a on @world : tensor<4xi32>
  return
}

// -----

func.func @broadcast_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates broadcast_c1: @world names no collective.group}}
  %0 = collective.broadcast %a from 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @broadcast_c2_empty_bucket() {
  // expected-error @below {{violates broadcast_c2: a bucket holds at least one input}}
  "collective.broadcast"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, root = 0 : i64} : () -> ()
  return
}

// -----

collective.group @world
func.func @broadcast_c3_missing_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates broadcast_c3: expected one result for each tensor}}
  "collective.broadcast"(%a) {group = @world, operandSegmentSizes = array<i32: 1, 0>, root = 0 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @broadcast_c4_other_shape(%a: tensor<4xf32>) {
  // expected-error @below {{violates broadcast_c4: expected shape and element type}}
  %0 = collective.broadcast %a from 0 on @world : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

collective.group @world
func.func @broadcast_c5_negative_root(%a: tensor<4xf32>) {
  // expected-error @below {{violates broadcast_c5: root -1 is not a rank}}
  %0 = collective.broadcast %a from -1 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @broadcast_c5_root_beyond_the_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates broadcast_c5: root 4 is not a rank of @world, which has 4}}
  %0 = collective.broadcast %a from 4 on @world : tensor<4xf32>
  return
}

// -----
collective.group @world
func.func @distinct_has_no_value(%a: tensor<4xf32>) {
  // expected-error @below {{collective.distinct has no value, but is true}}
  %0 = collective.all_reduce sum %a on @world {collective.distinct = true} : tensor<4xf32>
  return
}

// -----
collective.group @world
func.func @regather_is_of_an_all_gather(%a: tensor<4xf32>) {
  // expected-error @below {{collective.regather is the number of a use, of an all_gather, but is 1 : i64 here}}
  %0 = collective.all_reduce sum %a on @world {collective.regather = 1 : i64} : tensor<4xf32>
  return
}
