// Functions that communicate are inlined, but for those whose communication is numbered already.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --inline | FileCheck %s

collective.group @world
collective.group @later members(#collective.at_run_time)

func.func private @reduce(%a: tensor<4xf32>, %r: index) -> tensor<4xf32> {
  collective.create_group @later of %r : index
  %0 = collective.all_reduce sum %a on @later : tensor<4xf32>
  collective.destroy_group @later
  %future = collective.async {
    %1 = collective.all_reduce sum %0 on @world : tensor<4xf32>
    collective.yield %1 : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  %2 = collective.await %future : !collective.future<tensor<4xf32>>
  return %2 : tensor<4xf32>
}

func.func private @numbered(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = collective.all_reduce sum %a on @world {collective.future = 0 : i64} : tensor<4xf32>
  %1 = collective.complete 0 of %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @twice
// CHECK-NOT: call
// CHECK-COUNT-2: collective.destroy_group
func.func @twice(%a: tensor<4xf32>, %r: index) -> tensor<4xf32> {
  %0 = call @reduce(%a, %r) : (tensor<4xf32>, index) -> tensor<4xf32>
  %1 = call @reduce(%0, %r) : (tensor<4xf32>, index) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @twice_numbered
// CHECK-COUNT-2: call @numbered
func.func @twice_numbered(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @numbered(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @numbered(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
