// One negative test for each constraint of the exchanges.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @all_to_all_c1_no_group(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_to_all_c1: @world names no collective.group}}
  %0 = collective.all_to_all %a split 0 concat 0 on @world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @all_to_all_c2_empty_bucket() {
  // expected-error @below {{violates all_to_all_c2: a bucket holds at least one input}}
  "collective.all_to_all"() {group = @world, operandSegmentSizes = array<i32: 0, 0>, split_axis = 0 : i64, concat_axis = 0 : i64} : () -> ()
  return
}

// -----

collective.group @world
func.func @all_to_all_c3_missing_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_to_all_c3: expected one result for each tensor and no destination}}
  "collective.all_to_all"(%a) {group = @world, operandSegmentSizes = array<i32: 1, 0>, split_axis = 0 : i64, concat_axis = 0 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

collective.group @world
func.func @all_to_all_c4_split_beyond_rank(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_to_all_c4: axis 1 is not a dimension of 'tensor<4xf32>'}}
  %0 = collective.all_to_all %a split 1 concat 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @all_to_all_c4_negative_concat(%a: tensor<4xf32>) {
  // expected-error @below {{violates all_to_all_c4: axis -1 is not a dimension}}
  %0 = collective.all_to_all %a split 0 concat -1 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @all_to_all_c5_remainder(%a: tensor<6xf32>) {
  // expected-error @below {{violates all_to_all_c5: expected 'tensor<6xf32>' with dimension 0 divided and then dimension 0 multiplied by the size of the group, got 'tensor<6xf32>'}}
  %0 = collective.all_to_all %a split 0 concat 0 on @world : tensor<6xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @all_to_all_c5_not_multiplied(%a: tensor<8x2xf32>) {
  // expected-error @below {{violates all_to_all_c5: expected 'tensor<8x2xf32>' with dimension 0 divided}}
  %0 = collective.all_to_all %a split 0 concat 1 on @world : tensor<8x2xf32> -> tensor<2x4xf32>
  return
}

// -----

collective.group @world
func.func @all_to_all_c5_other_element_type(%a: tensor<8xf32>) {
  // expected-error @below {{violates all_to_all_c5: expected 'tensor<8xf32>'}}
  %0 = collective.all_to_all %a split 0 concat 0 on @world : tensor<8xf32> -> tensor<8xf16>
  return
}

// -----

func.func @all_to_all_v_c1_no_group(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c1: @world names no collective.group}}
  %0 = collective.all_to_all_v %a into %a send(%c, %c) receive(%c, %c) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_v_c2_mixed_forms(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c2: operands are all tensors or all memrefs}}
  collective.all_to_all_v %a into %m send(%c, %c) receive(%c, %c) on @world : tensor<8x2xf32>, memref<8x2xf32>, tensor<4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_v_c2_no_result(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c2: expected one result, of the type of the tensor that receives}}
  "collective.all_to_all_v"(%a, %a, %c, %c, %c, %c) {group = @world} : (tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> ()
  return
}

// -----

collective.group @world
func.func @all_to_all_v_c3_other_rows(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c3: expected rows of one type, got 'tensor<8x2xf32>' and 'tensor<8x3xf32>'}}
  %0 = collective.all_to_all_v %a into %b send(%c, %c) receive(%c, %c) on @world : tensor<8x2xf32>, tensor<8x3xf32>, tensor<4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_v_c3_no_rows(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c3: expected rows of one type}}
  %0 = collective.all_to_all_v %s into %s send(%c, %c) receive(%c, %c) on @world : tensor<f32>, tensor<f32>, tensor<4xi64>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @all_to_all_v_c4_other_counts(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c4: expected vectors with one entry for each rank of @world, got 'tensor<3xi64>'}}
  %0 = collective.all_to_all_v %a into %a send(%c, %c) receive(%d, %c) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<3xi64>, tensor<4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_v_c4_unequal_counts(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_v_c4: expected vectors with one entry for each rank of @world, got 'tensor<3xi64>'}}
  %0 = collective.all_to_all_v %a into %a send(%c, %c) receive(%c, %d) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<3xi64>
  return
}

// -----

func.func @all_to_all_vc_c1_no_group(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_vc_c1: @world names no collective.group}}
  %0 = collective.all_to_all_vc %a into %a counts(%x) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4x4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_vc_c2_mixed_forms(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_vc_c2: operands are all tensors or all memrefs}}
  %0 = collective.all_to_all_vc %m into %a counts(%x) on @world : memref<8x2xf32>, tensor<8x2xf32>, tensor<4x4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_vc_c3_other_rows(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_vc_c3: expected rows of one type}}
  %0 = collective.all_to_all_vc %b into %a counts(%x) on @world : tensor<8x3xf32>, tensor<8x2xf32>, tensor<4x4xi64>
  return
}

// -----

collective.group @world
func.func @all_to_all_vc_c4_not_square(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_vc_c4: expected a matrix with one row and one column for each rank of @world, got 'tensor<4x3xi64>'}}
  %0 = collective.all_to_all_vc %a into %a counts(%y) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4x3xi64>
  return
}

// -----

collective.group @world {size = 3 : i64}
func.func @all_to_all_vc_c4_other_size(%a: tensor<8x2xf32>, %c: tensor<4xi64>, %m: memref<8x2xf32>, %b: tensor<8x3xf32>, %s: tensor<f32>, %d: tensor<3xi64>, %x: tensor<4x4xi64>, %y: tensor<4x3xi64>) {
  // expected-error @below {{violates all_to_all_vc_c4: expected a matrix}}
  %0 = collective.all_to_all_vc %a into %a counts(%x) on @world : tensor<8x2xf32>, tensor<8x2xf32>, tensor<4x4xi64>
  return
}
