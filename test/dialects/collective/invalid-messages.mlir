// One negative test for each constraint of messages.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @send_c1_no_group(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates send_c1: @world names no collective.group}}
  collective.send %a to %p tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @send_c2_empty_message(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates send_c2: a message holds at least one}}
  "collective.send"(%p) {group = @world, tag = 0 : i64} : (index) -> ()
  return
}

// -----

collective.group @world
func.func @send_c3_mixed_forms(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates send_c3: inputs are all tensors or all memrefs}}
  collective.send %a, %m to %p tag 0 on @world : tensor<4xf32>, memref<4xf32>
  return
}

// -----

collective.group @world
func.func @send_c4_negative_peer(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %c = arith.constant -1 : index
  // expected-error @below {{violates send_c4: peer -1 is not a rank}}
  collective.send %a to %c tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @send_c4_peer_beyond_the_group(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %c = arith.constant 4 : index
  // expected-error @below {{violates send_c4: peer 4 is not a rank of @world, which has 4}}
  collective.send %a to %c tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @pairs members(#collective.blocks<2>)
func.func @send_c4_peer_beyond_its_set(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %c = arith.constant 2 : index
  // expected-error @below {{violates send_c4: peer 2 is not a rank of @pairs, which has 2}}
  collective.send %a to %c tag 7 on @pairs : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @send_c5_to_itself(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %r = collective.rank on @world : index
  // expected-error @below {{violates send_c5: the peer is this rank itself}}
  collective.send %a to %r tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 1 : i64}
func.func @send_c5_alone(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates send_c5: @world has one rank in each set, so that there is no peer}}
  collective.send %a to %p tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @send_c6_negative_tag(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates send_c6: tag -1 is negative}}
  collective.send %a to %p tag -1 on @world : tensor<4xf32>
  return
}

// -----

func.func @recv_c1_no_group(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c1: @world names no collective.group}}
  %0 = collective.recv from %p tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @recv_c2_empty_message(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c2: a message holds at least one}}
  "collective.recv"(%p) {group = @world, tag = 0 : i64} : (index) -> ()
  return
}

// -----

collective.group @world
func.func @recv_c3_result_and_destination(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c3: expected results or destinations, not both}}
  %0 = "collective.recv"(%m, %p) {group = @world, tag = 0 : i64} : (memref<4xf32>, index) -> tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @recv_c3_result_in_memory(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c3: a result is a tensor, not 'memref<4xf32>'}}
  %0 = collective.recv from %p tag 0 on @world : memref<4xf32>
  return
}

// -----

collective.group @world
func.func @recv_c4_negative_peer(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %c = arith.constant -1 : index
  // expected-error @below {{violates recv_c4: peer -1 is not a rank}}
  %0 = collective.recv from %c tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 4 : i64}
func.func @recv_c4_peer_beyond_the_group(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %c = arith.constant 4 : index
  // expected-error @below {{violates recv_c4: peer 4 is not a rank of @world, which has 4}}
  %0 = collective.recv from %c tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @pairs members(#collective.blocks<2>)
func.func @recv_c4_peer_beyond_its_set(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %c = arith.constant 2 : index
  // expected-error @below {{violates recv_c4: peer 2 is not a rank of @pairs, which has 2}}
  %0 = collective.recv from %c tag 7 on @pairs : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @recv_c5_to_itself(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  %r = collective.rank on @world : index
  // expected-error @below {{violates recv_c5: the peer is this rank itself}}
  %0 = collective.recv from %r tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world {size = 1 : i64}
func.func @recv_c5_alone(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c5: @world has one rank in each set, so that there is no peer}}
  %0 = collective.recv from %p tag 7 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @recv_c6_negative_tag(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c6: tag -1 is negative}}
  %0 = collective.recv from %p tag -1 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @recv_c7_unknown_extent(%a: tensor<4xf32>, %m: memref<4xf32>, %p: index) {
  // expected-error @below {{violates recv_c7: 'tensor<?xf32>' has no static shape}}
  %0 = collective.recv from %p tag 0 on @world : tensor<?xf32>
  return
}
