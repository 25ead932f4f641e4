// One negative test for each constraint of flatten and unflatten.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @flatten_c1_no_destination(%a: memref<4xf32>) {
  // expected-error @below {{violates flatten_c1: expected a destination for the memref and no result}}
  "collective.flatten"(%a) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @flatten_c1_no_result(%a: tensor<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{violates flatten_c1: expected a result for the tensor and no destination}}
  "collective.flatten"(%a, %b) : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @flatten_c2_two_dimensions(%a: tensor<4xf32>) {
  // expected-error @below {{violates flatten_c2: expected static shapes, and one dimension to receive}}
  %0 = collective.flatten %a : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @flatten_c2_dynamic(%a: memref<?xf32>, %b: memref<8xf32>) {
  // expected-error @below {{violates flatten_c2: expected static shapes}}
  collective.flatten %a into %b : memref<?xf32> -> memref<8xf32>
  return
}

// -----

func.func @flatten_c3_too_short(%a: tensor<4xf32>) {
  // expected-error @below {{violates flatten_c3: expected at least 4 elements of 'f32', got 'tensor<3xf32>'}}
  %0 = collective.flatten %a : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @flatten_c3_other_type(%a: tensor<4xf32>) {
  // expected-error @below {{violates flatten_c3: expected at least 4 elements of 'f32', got 'tensor<4xf16>'}}
  %0 = collective.flatten %a : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @unflatten_c1_too_short(%a: tensor<4xf32>) {
  // expected-error @below {{violates unflatten_c1: expected one dimension of at least 6 elements of 'f32', got 'tensor<4xf32>'}}
  %0 = collective.unflatten %a : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @unflatten_c1_two_dimensions(%a: tensor<2x2xf32>) {
  // expected-error @below {{violates unflatten_c1: expected one dimension}}
  %0 = collective.unflatten %a : tensor<2x2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @unflatten_c1_other_type(%a: tensor<4xf32>) {
  // expected-error @below {{violates unflatten_c1}}
  %0 = collective.unflatten %a : tensor<4xf32> -> tensor<4xf16>
  return
}
