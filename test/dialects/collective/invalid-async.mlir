// One negative test for each constraint of asynchronous communication.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

func.func @async_c1_computation(%a: tensor<4xf32>) {
  // expected-error @below {{violates async_c1: 'arith.addf' is neither a collective nor a message}}
  %f = collective.async {
    %0 = arith.addf %a, %a : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @async_c1_making_a_group(%a: index) {
  // expected-error @below {{violates async_c1: 'collective.create_group' is neither a collective nor a message}}
  %f = collective.async {
    collective.create_group @later of %a : index
  } : !collective.future
  return
}

// -----

collective.group @world
func.func @async_c2_waiting_inside(%a: tensor<4xf32>, %p: index) {
  // expected-error @below {{violates async_c2: 'collective.send' uses what 'collective.all_reduce' of the same body has not received yet}}
  %f = collective.async {
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    collective.send %0 to %p tag 1 on @world : tensor<4xf32>
  } : !collective.future
  return
}

// -----

collective.group @world
func.func @async_c2_moving_inside(%a: tensor<4x4xf32>) {
  // expected-error @below {{violates async_c2: 'collective.all_reduce' uses what 'collective.reduce_scatter' of the same body has not received yet}}
  %f = collective.async {
    %0 = collective.reduce_scatter sum %a along 1 on @world : tensor<4x4xf32> -> tensor<4x?xf32>
    %1 = collective.all_reduce sum %0 on @world : tensor<4x?xf32>
    collective.yield %1 : tensor<4x?xf32>
  } : !collective.future<tensor<4x?xf32>>
  return
}

// -----

collective.group @world
func.func @async_c2_other_use(%a: tensor<4xf32>) {
  // expected-error @below {{violates async_c2: 'collective.broadcast' takes over what 'collective.all_reduce' gives, which has another use}}
  %f = collective.async {
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    %1 = collective.broadcast %0 from 0 on @world : tensor<4xf32>
    collective.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } : !collective.future<tensor<4xf32>, tensor<4xf32>>
  return
}

// -----

collective.group @world
func.func @async_c3_other_promise(%a: tensor<4xf32>) {
  // expected-error @below {{violates async_c3: the body yields 'tensor<4xf32>', but the future promises 'tensor<8xf32>'}}
  %f = collective.async {
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<8xf32>>
  return
}

// -----

collective.group @world
func.func @async_c4_awaited_twice(%m: memref<4xf32>) {
  // expected-error @below {{violates async_c4: the future is awaited 2 times}}
  %f = collective.async {
    collective.all_reduce sum %m into %m on @world : memref<4xf32>
  } : !collective.future
  collective.await %f : !collective.future
  collective.await %f : !collective.future
  return
}

// -----

func.func @await_c1_future_from_elsewhere(%f: !collective.future) {
  // expected-error @below {{violates await_c1: the future is not made by a collective.async of this block}}
  collective.await %f : !collective.future
  return
}

// -----

collective.group @world
func.func @await_c1_in_another_block(%m: memref<4xf32>, %condition: i1) {
  %f = collective.async {
    collective.all_reduce sum %m into %m on @world : memref<4xf32>
  } : !collective.future
  scf.if %condition {
    // expected-error @below {{violates await_c1: the future is not made by a collective.async of this block}}
    collective.await %f : !collective.future
  }
  return
}

// -----

collective.group @world
func.func @await_c2_other_values(%a: tensor<4xf32>) {
  %f = collective.async {
    %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
    collective.yield %0 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  // expected-error @below {{violates await_c2: the future promises 'tensor<4xf32>', not 'tensor<8xf32>'}}
  %0 = "collective.await"(%f) : (!collective.future<tensor<4xf32>>) -> tensor<8xf32>
  return
}

// -----

func.func @complete_c1_mixed_forms(%a: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @below {{violates complete_c1: operands are all tensors or all memrefs}}
  %0 = collective.complete 0 of %a keeping %m : tensor<4xf32>, memref<4xf32>
  return
}

// -----

func.func @complete_c1_no_result(%a: tensor<4xf32>) {
  // expected-error @below {{violates complete_c1: expected one result of the same type for each tensor promised}}
  "collective.complete"(%a) {future = 0 : i64, operandSegmentSizes = array<i32: 1, 0>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @complete_c1_result_of_memory(%m: memref<4xf32>) {
  // expected-error @below {{violates complete_c1: expected no result for memrefs}}
  %0 = "collective.complete"(%m) {future = 0 : i64, operandSegmentSizes = array<i32: 1, 0>} : (memref<4xf32>) -> tensor<4xf32>
  return
}
