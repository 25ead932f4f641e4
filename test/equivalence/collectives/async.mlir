// Communication beside computation that overwrites what is on its way, run on four ranks.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: async_all_gather f32 {{\[\[}}0, 1, 100, 101], [10, 11, 110, 111], [20, 21, 120, 121], [30, 31, 130, 131], [0, 1, 100, 101], [10, 11, 110, 111], [20, 21, 120, 121], [30, 31, 130, 131], [200, 201, 300, 301], [210, 211, 310, 311], [220, 221, 320, 321], [230, 231, 330, 331], [200, 201, 300, 301], [210, 211, 310, 311], [220, 221, 320, 321], [230, 231, 330, 331]]
// CHECK-NEXT: async_all_reduce f32 {{\[\[}}600, 604], [640, 644], [680, 684], [720, 724], [600, 604], [640, 644], [680, 684], [720, 724], [600, 604], [640, 644], [680, 684], [720, 724], [600, 604], [640, 644], [680, 684], [720, 724]]
// CHECK-NEXT: async_broadcast f32 {{\[\[}}600, 602], [620, 622], [640, 642], [660, 662], [600, 602], [620, 622], [640, 642], [660, 662], [600, 602], [620, 622], [640, 642], [660, 662], [600, 602], [620, 622], [640, 642], [660, 662]]
// CHECK-NEXT: doubled_ramps f32 {{\[\[}}0, 2], [20, 22], [40, 42], [60, 62], [200, 202], [220, 222], [240, 242], [260, 262], [400, 402], [420, 422], [440, 442], [460, 462], [600, 602], [620, 622], [640, 642], [660, 662]]
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  func.func @initialize() -> (tensor<16x2xf32> {train.variable = #train.variable<"async_all_reduce", other>}, tensor<16x4xf32> {train.variable = #train.variable<"async_all_gather", other>}, tensor<16x2xf32> {train.variable = #train.variable<"async_broadcast", other>}, tensor<16x2xf32> {train.variable = #train.variable<"doubled_ramps", other>}) {
    %async_all_reduce = arith.constant dense<0.0> : tensor<16x2xf32>
    %async_all_gather = arith.constant dense<0.0> : tensor<16x4xf32>
    %async_broadcast = arith.constant dense<0.0> : tensor<16x2xf32>
    %doubled_ramps = arith.constant dense<0.0> : tensor<16x2xf32>
    return %async_all_reduce, %async_all_gather, %async_broadcast, %doubled_ramps : tensor<16x2xf32>, tensor<16x4xf32>, tensor<16x2xf32>, tensor<16x2xf32>
  }
  func.func @step(%old_async_all_reduce: tensor<16x2xf32> {train.variable = #train.variable<"async_all_reduce", other>}, %old_async_all_gather: tensor<16x4xf32> {train.variable = #train.variable<"async_all_gather", other>}, %old_async_broadcast: tensor<16x2xf32> {train.variable = #train.variable<"async_broadcast", other>}, %old_doubled_ramps: tensor<16x2xf32> {train.variable = #train.variable<"doubled_ramps", other>})
      -> (tensor<16x2xf32> {train.variable = #train.variable<"async_all_reduce", other>}, tensor<16x4xf32> {train.variable = #train.variable<"async_all_gather", other>}, tensor<16x2xf32> {train.variable = #train.variable<"async_broadcast", other>}, tensor<16x2xf32> {train.variable = #train.variable<"doubled_ramps", other>}) {
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
    // While its sum is on the way, the ramp itself is doubled; after that a gather reads the doubled values.
    %f = collective.async {
      %s = collective.all_reduce sum %a on @world : tensor<4x2xf32>
      %g = collective.all_gather %a along 1 on @pairs : tensor<4x2xf32> -> tensor<4x4xf32>
      collective.yield %s, %g : tensor<4x2xf32>, tensor<4x4xf32>
    } : !collective.future<tensor<4x2xf32>, tensor<4x4xf32>>
    %doubled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%a : tensor<4x2xf32>) {
    ^bb0(%value: f32):
      %twice = arith.addf %value, %value : f32
      linalg.yield %twice : f32
    } -> tensor<4x2xf32>
    %h = collective.async {
      %b = collective.broadcast %doubled from 3 on @world : tensor<4x2xf32>
      collective.yield %b : tensor<4x2xf32>
    } : !collective.future<tensor<4x2xf32>>
    %sums:2 = collective.await %f : !collective.future<tensor<4x2xf32>, tensor<4x4xf32>>
    %last = collective.await %h : !collective.future<tensor<4x2xf32>>
    %async_all_reduce = collective.all_gather %sums#0 along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %async_all_gather = collective.all_gather %sums#1 along 0 on @world : tensor<4x4xf32> -> tensor<16x4xf32>
    %async_broadcast = collective.all_gather %last along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %doubled_ramps = collective.all_gather %doubled along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    return %async_all_reduce, %async_all_gather, %async_broadcast, %doubled_ramps : tensor<16x2xf32>, tensor<16x4xf32>, tensor<16x2xf32>, tensor<16x2xf32>
  }
}
