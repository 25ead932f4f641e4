// Values brought from rank to rank along every axis, run on four ranks.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: all_gather_1 f32 {{\[\[}}0, 1, 100, 101], [10, 11, 110, 111], [20, 21, 120, 121], [30, 31, 130, 131], [0, 1, 100, 101], [10, 11, 110, 111], [20, 21, 120, 121], [30, 31, 130, 131], [200, 201, 300, 301], [210, 211, 310, 311], [220, 221, 320, 321], [230, 231, 330, 331], [200, 201, 300, 301], [210, 211, 310, 311], [220, 221, 320, 321], [230, 231, 330, 331]]
// CHECK-NEXT: broadcast f32 {{\[\[}}200, 201], [210, 211], [220, 221], [230, 231], [300, 301], [310, 311], [320, 321], [330, 331], [200, 201], [210, 211], [220, 221], [230, 231], [300, 301], [310, 311], [320, 321], [330, 331]]
// CHECK-NEXT: gather_0 f32 {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 1], [10, 11], [20, 21], [30, 31], [100, 101], [110, 111], [120, 121], [130, 131], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [200, 201], [210, 211], [220, 221], [230, 231], [300, 301], [310, 311], [320, 321], [330, 331]]
// CHECK-NEXT: gather_1 f32 {{\[\[}}0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 100, 101, 200, 201, 300, 301], [10, 11, 110, 111, 210, 211, 310, 311], [20, 21, 120, 121, 220, 221, 320, 321], [30, 31, 130, 131, 230, 231, 330, 331]]
// CHECK-NEXT: scatter_0 f32 {{\[\[}}200, 201], [210, 211], [220, 221], [230, 231]]
// CHECK-NEXT: scatter_1 f32 {{\[\[}}0], [10], [20], [30], [1], [11], [21], [31], [200], [210], [220], [230], [201], [211], [221], [231]]
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  collective.group @columns members(#collective.strided<2>)
  func.func @initialize() -> (tensor<16x2xf32> {train.variable = #train.variable<"broadcast", other>}, tensor<16x4xf32> {train.variable = #train.variable<"all_gather_1", other>}, tensor<32x2xf32> {train.variable = #train.variable<"gather_0", other>}, tensor<16x8xf32> {train.variable = #train.variable<"gather_1", other>}, tensor<4x2xf32> {train.variable = #train.variable<"scatter_0", other>}, tensor<16x1xf32> {train.variable = #train.variable<"scatter_1", other>}) {
    %broadcast = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_gather_1 = arith.constant dense<0.0> : tensor<16x4xf32>
    %gather_0 = arith.constant dense<0.0> : tensor<32x2xf32>
    %gather_1 = arith.constant dense<0.0> : tensor<16x8xf32>
    %scatter_0 = arith.constant dense<0.0> : tensor<4x2xf32>
    %scatter_1 = arith.constant dense<0.0> : tensor<16x1xf32>
    return %broadcast, %all_gather_1, %gather_0, %gather_1, %scatter_0, %scatter_1 : tensor<16x2xf32>, tensor<16x4xf32>, tensor<32x2xf32>, tensor<16x8xf32>, tensor<4x2xf32>, tensor<16x1xf32>
  }
  func.func @step(%old_broadcast: tensor<16x2xf32> {train.variable = #train.variable<"broadcast", other>}, %old_all_gather_1: tensor<16x4xf32> {train.variable = #train.variable<"all_gather_1", other>}, %old_gather_0: tensor<32x2xf32> {train.variable = #train.variable<"gather_0", other>}, %old_gather_1: tensor<16x8xf32> {train.variable = #train.variable<"gather_1", other>}, %old_scatter_0: tensor<4x2xf32> {train.variable = #train.variable<"scatter_0", other>}, %old_scatter_1: tensor<16x1xf32> {train.variable = #train.variable<"scatter_1", other>})
      -> (tensor<16x2xf32> {train.variable = #train.variable<"broadcast", other>}, tensor<16x4xf32> {train.variable = #train.variable<"all_gather_1", other>}, tensor<32x2xf32> {train.variable = #train.variable<"gather_0", other>}, tensor<16x8xf32> {train.variable = #train.variable<"gather_1", other>}, tensor<4x2xf32> {train.variable = #train.variable<"scatter_0", other>}, tensor<16x1xf32> {train.variable = #train.variable<"scatter_1", other>}) {
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
    %b = collective.broadcast %a from 1 on @columns : tensor<4x2xf32>
    %broadcast = collective.all_gather %b along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %ag = collective.all_gather %a along 1 on @pairs : tensor<4x2xf32> -> tensor<4x4xf32>
    %all_gather_1 = collective.all_gather %ag along 0 on @world : tensor<4x4xf32> -> tensor<16x4xf32>
    %g0 = collective.gather %a along 0 to 1 on @pairs : tensor<4x2xf32> -> tensor<8x2xf32>
    %gather_0 = collective.all_gather %g0 along 0 on @world : tensor<8x2xf32> -> tensor<32x2xf32>
    %g1 = collective.gather %a along 1 to 3 on @world : tensor<4x2xf32> -> tensor<4x8xf32>
    %gather_1 = collective.all_gather %g1 along 0 on @world : tensor<4x8xf32> -> tensor<16x8xf32>
    %s0 = collective.scatter %a along 0 from 2 on @world : tensor<4x2xf32> -> tensor<1x2xf32>
    %scatter_0 = collective.all_gather %s0 along 0 on @world : tensor<1x2xf32> -> tensor<4x2xf32>
    %s1 = collective.scatter %a along 1 from 0 on @pairs : tensor<4x2xf32> -> tensor<4x1xf32>
    %scatter_1 = collective.all_gather %s1 along 0 on @world : tensor<4x1xf32> -> tensor<16x1xf32>
    return %broadcast, %all_gather_1, %gather_0, %gather_1, %scatter_0, %scatter_1 : tensor<16x2xf32>, tensor<16x4xf32>, tensor<32x2xf32>, tensor<16x8xf32>, tensor<4x2xf32>, tensor<16x1xf32>
  }
}
