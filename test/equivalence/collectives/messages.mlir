// Messages in a ring and between the ranks of pairs, run on four ranks.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: bucket i64 [28, 28, 28]
// CHECK-NEXT: ring f32 {{\[\[}}300, 301], [310, 311], [320, 321], [330, 331], [0, 1], [10, 11], [20, 21], [30, 31], [100, 101], [110, 111], [120, 121], [130, 131], [200, 201], [210, 211], [220, 221], [230, 231]]
// CHECK-NEXT: swap f32 {{\[\[}}100, 101], [110, 111], [120, 121], [130, 131], [0, 1], [10, 11], [20, 21], [30, 31], [300, 301], [310, 311], [320, 321], [330, 331], [200, 201], [210, 211], [220, 221], [230, 231]]
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  func.func @initialize() -> (tensor<16x2xf32> {train.variable = #train.variable<"ring", other>}, tensor<3xi64> {train.variable = #train.variable<"bucket", other>}, tensor<16x2xf32> {train.variable = #train.variable<"swap", other>}) {
    %ring = arith.constant dense<0.0> : tensor<16x2xf32>
    %bucket = arith.constant dense<0> : tensor<3xi64>
    %swap = arith.constant dense<0.0> : tensor<16x2xf32>
    return %ring, %bucket, %swap : tensor<16x2xf32>, tensor<3xi64>, tensor<16x2xf32>
  }
  func.func @step(%old_ring: tensor<16x2xf32> {train.variable = #train.variable<"ring", other>}, %old_bucket: tensor<3xi64> {train.variable = #train.variable<"bucket", other>}, %old_swap: tensor<16x2xf32> {train.variable = #train.variable<"swap", other>})
      -> (tensor<16x2xf32> {train.variable = #train.variable<"ring", other>}, tensor<3xi64> {train.variable = #train.variable<"bucket", other>}, tensor<16x2xf32> {train.variable = #train.variable<"swap", other>}) {
    // Element (i, j) of rank r is 100 r + 10 i + j.
    %rank = collective.rank on @world : index
    %ramp_space = tensor.empty() : tensor<4x2xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%ramp_space : tensor<4x2xf32>) {
    ^bb0(%unused: f32):
      %hundred = arith.constant 100 : index
      %ten = arith.constant 10 : index
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %r100 = arith.muli %rank, %hundred : index
      %i10 = arith.muli %i, %ten : index
      %ri = arith.addi %r100, %i10 : index
      %rij = arith.addi %ri, %j : index
      %n = arith.index_cast %rij : index to i64
      %f = arith.sitofp %n : i64 to f32
      linalg.yield %f : f32
    } -> tensor<4x2xf32>
    // A ring: to the next rank, from the one before.
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %four = arith.constant 4 : index
    %up = arith.addi %rank, %one : index
    %next = arith.remui %up, %four : index
    %down = arith.addi %rank, %three : index
    %before = arith.remui %down, %four : index
    %count = arith.constant dense<7> : tensor<3xi64>
    // Every other rank receives first: a send may wait for its receive.
    %two = arith.constant 2 : index
    %zero_index = arith.constant 0 : index
    %parity = arith.remui %rank, %two : index
    %is_even = arith.cmpi eq, %parity, %zero_index : index
    %got:2 = scf.if %is_even -> (tensor<4x2xf32>, tensor<3xi64>) {
      collective.send %a, %count to %next tag 5 on @world : tensor<4x2xf32>, tensor<3xi64>
      %r:2 = collective.recv from %before tag 5 on @world : tensor<4x2xf32>, tensor<3xi64>
      scf.yield %r#0, %r#1 : tensor<4x2xf32>, tensor<3xi64>
    } else {
      %r:2 = collective.recv from %before tag 5 on @world : tensor<4x2xf32>, tensor<3xi64>
      collective.send %a, %count to %next tag 5 on @world : tensor<4x2xf32>, tensor<3xi64>
      scf.yield %r#0, %r#1 : tensor<4x2xf32>, tensor<3xi64>
    }
    %ring = collective.all_gather %got#0 along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %bucket = collective.all_reduce sum %got#1 on @world : tensor<3xi64>
    // Within a pair, ranks have the numbers 0 and 1.
    %mine = collective.rank on @pairs : index
    %other = arith.subi %one, %mine : index
    %swapped = scf.if %is_even -> (tensor<4x2xf32>) {
      %f = collective.async {
        collective.send %a to %other tag 6 on @pairs : tensor<4x2xf32>
        %r = collective.recv from %other tag 6 on @pairs : tensor<4x2xf32>
        collective.yield %r : tensor<4x2xf32>
      } : !collective.future<tensor<4x2xf32>>
      %d = collective.await %f : !collective.future<tensor<4x2xf32>>
      scf.yield %d : tensor<4x2xf32>
    } else {
      %f = collective.async {
        %r = collective.recv from %other tag 6 on @pairs : tensor<4x2xf32>
        collective.send %a to %other tag 6 on @pairs : tensor<4x2xf32>
        collective.yield %r : tensor<4x2xf32>
      } : !collective.future<tensor<4x2xf32>>
      %d = collective.await %f : !collective.future<tensor<4x2xf32>>
      scf.yield %d : tensor<4x2xf32>
    }
    %swap = collective.all_gather %swapped along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    return %ring, %bucket, %swap : tensor<16x2xf32>, tensor<3xi64>, tensor<16x2xf32>
  }
}
