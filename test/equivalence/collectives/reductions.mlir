// Reductions on the world and on sets of two ranks, run on four.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: all_reduce_max f32 {{\[\[}}100, 101], [110, 111], [120, 121], [130, 131], [100, 101], [110, 111], [120, 121], [130, 131], [300, 301], [310, 311], [320, 321], [330, 331], [300, 301], [310, 311], [320, 321], [330, 331]]
// CHECK-NEXT: all_reduce_mean f32 {{\[\[}}50, 51], [60, 61], [70, 71], [80, 81], [50, 51], [60, 61], [70, 71], [80, 81], [250, 251], [260, 261], [270, 271], [280, 281], [250, 251], [260, 261], [270, 271], [280, 281]]
// CHECK-NEXT: all_reduce_min f32 {{\[\[}}0, 1], [10, 11], [20, 21], [30, 31], [0, 1], [10, 11], [20, 21], [30, 31], [200, 201], [210, 211], [220, 221], [230, 231], [200, 201], [210, 211], [220, 221], [230, 231]]
// CHECK-NEXT: all_reduce_prod f32 {{\[\[}}0, 201], [2100, 2321], [4400, 4641], [6900, 7161], [30000, 30401], [34100, 34521], [38400, 38841], [42900, 43361], [0, 201], [2100, 2321], [4400, 4641], [6900, 7161], [30000, 30401], [34100, 34521], [38400, 38841], [42900, 43361]]
// CHECK-NEXT: all_reduce_sum f32 {{\[\[}}100, 102], [120, 122], [140, 142], [160, 162], [100, 102], [120, 122], [140, 142], [160, 162], [500, 502], [520, 522], [540, 542], [560, 562], [500, 502], [520, 522], [540, 542], [560, 562]]
// CHECK-NEXT: reduce f32 {{\[\[}}0, 1], [10, 11], [20, 21], [30, 31], [100, 101], [110, 111], [120, 121], [130, 131], [600, 604], [640, 644], [680, 684], [720, 724], [300, 301], [310, 311], [320, 321], [330, 331]]
// CHECK-NEXT: reduce_scatter_0 f32 {{\[\[}}600, 604], [640, 644], [680, 684], [720, 724]]
// CHECK-NEXT: reduce_scatter_1 f32 {{\[\[}}200], [220], [240], [260], [400], [420], [440], [460], [202], [222], [242], [262], [402], [422], [442], [462]]
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  collective.group @columns members(#collective.strided<2>)
  func.func @initialize() -> (tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_sum", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_min", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_max", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_mean", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_prod", other>}, tensor<16x2xf32> {train.variable = #train.variable<"reduce", other>}, tensor<4x2xf32> {train.variable = #train.variable<"reduce_scatter_0", other>}, tensor<16x1xf32> {train.variable = #train.variable<"reduce_scatter_1", other>}) {
    %all_reduce_sum = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_reduce_min = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_reduce_max = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_reduce_mean = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_reduce_prod = arith.constant dense<0.0> : tensor<16x2xf32>
    %reduce = arith.constant dense<0.0> : tensor<16x2xf32>
    %reduce_scatter_0 = arith.constant dense<0.0> : tensor<4x2xf32>
    %reduce_scatter_1 = arith.constant dense<0.0> : tensor<16x1xf32>
    return %all_reduce_sum, %all_reduce_min, %all_reduce_max, %all_reduce_mean, %all_reduce_prod, %reduce, %reduce_scatter_0, %reduce_scatter_1 : tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<4x2xf32>, tensor<16x1xf32>
  }
  func.func @step(%old_all_reduce_sum: tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_sum", other>}, %old_all_reduce_min: tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_min", other>}, %old_all_reduce_max: tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_max", other>}, %old_all_reduce_mean: tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_mean", other>}, %old_all_reduce_prod: tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_prod", other>}, %old_reduce: tensor<16x2xf32> {train.variable = #train.variable<"reduce", other>}, %old_reduce_scatter_0: tensor<4x2xf32> {train.variable = #train.variable<"reduce_scatter_0", other>}, %old_reduce_scatter_1: tensor<16x1xf32> {train.variable = #train.variable<"reduce_scatter_1", other>})
      -> (tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_sum", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_min", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_max", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_mean", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_reduce_prod", other>}, tensor<16x2xf32> {train.variable = #train.variable<"reduce", other>}, tensor<4x2xf32> {train.variable = #train.variable<"reduce_scatter_0", other>}, tensor<16x1xf32> {train.variable = #train.variable<"reduce_scatter_1", other>}) {
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
    %ar_sum = collective.all_reduce sum %a on @pairs : tensor<4x2xf32>
    %all_reduce_sum = collective.all_gather %ar_sum along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %ar_min = collective.all_reduce min %a on @pairs : tensor<4x2xf32>
    %all_reduce_min = collective.all_gather %ar_min along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %ar_max = collective.all_reduce max %a on @pairs : tensor<4x2xf32>
    %all_reduce_max = collective.all_gather %ar_max along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %ar_mean = collective.all_reduce mean %a on @pairs : tensor<4x2xf32>
    %all_reduce_mean = collective.all_gather %ar_mean along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %ar_prod = collective.all_reduce prod %a on @columns : tensor<4x2xf32>
    %all_reduce_prod = collective.all_gather %ar_prod along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %red = collective.reduce sum %a to 2 on @world : tensor<4x2xf32>
    %reduce = collective.all_gather %red along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %rs0 = collective.reduce_scatter sum %a along 0 on @world : tensor<4x2xf32> -> tensor<1x2xf32>
    %reduce_scatter_0 = collective.all_gather %rs0 along 0 on @world : tensor<1x2xf32> -> tensor<4x2xf32>
    %rs1 = collective.reduce_scatter sum %a along 1 on @columns : tensor<4x2xf32> -> tensor<4x1xf32>
    %reduce_scatter_1 = collective.all_gather %rs1 along 0 on @world : tensor<4x1xf32> -> tensor<16x1xf32>
    return %all_reduce_sum, %all_reduce_min, %all_reduce_max, %all_reduce_mean, %all_reduce_prod, %reduce, %reduce_scatter_0, %reduce_scatter_1 : tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<4x2xf32>, tensor<16x1xf32>
  }
}
