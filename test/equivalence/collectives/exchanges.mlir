// All-to-all along every pair of axes and with different numbers of rows, run on four ranks.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: all_to_all_00 f32 {{\[\[}}0, 1], [100, 101], [200, 201], [300, 301], [10, 11], [110, 111], [210, 211], [310, 311], [20, 21], [120, 121], [220, 221], [320, 321], [30, 31], [130, 131], [230, 231], [330, 331]]
// CHECK-NEXT: all_to_all_01 f32 {{\[\[}}0, 1, 100, 101, 200, 201, 300, 301], [10, 11, 110, 111, 210, 211, 310, 311], [20, 21, 120, 121, 220, 221, 320, 321], [30, 31, 130, 131, 230, 231, 330, 331]]
// CHECK-NEXT: all_to_all_10 f32 {{\[\[}}0], [10], [20], [30], [100], [110], [120], [130], [1], [11], [21], [31], [101], [111], [121], [131], [200], [210], [220], [230], [300], [310], [320], [330], [201], [211], [221], [231], [301], [311], [321], [331]]
// CHECK-NEXT: all_to_all_11 f32 {{\[\[}}0, 200], [10, 210], [20, 220], [30, 230], [100, 300], [110, 310], [120, 320], [130, 330], [1, 201], [11, 211], [21, 221], [31, 231], [101, 301], [111, 311], [121, 321], [131, 331]]
// CHECK-NEXT: all_to_all_v f32 {{\[\[}}-1, -1], [130, 131], [30, 31], [-1, -1], [0, 1], [10, 11], [100, 101], [110, 111], [-1, -1], [330, 331], [230, 231], [-1, -1], [200, 201], [210, 211], [300, 301], [310, 311]]
// CHECK-NEXT: all_to_all_vc f32 {{\[\[}}0, 1], [200, 201], [210, 211], [-1, -1], [100, 101], [300, 301], [310, 311], [320, 321], [10, 11], [20, 21], [110, 111], [-1, -1], [120, 121], [330, 331], [-1, -1], [-1, -1]]
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  collective.group @columns members(#collective.strided<2>)
  func.func @initialize() -> (tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_00", other>}, tensor<4x8xf32> {train.variable = #train.variable<"all_to_all_01", other>}, tensor<32x1xf32> {train.variable = #train.variable<"all_to_all_10", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_11", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_vc", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_v", other>}) {
    %all_to_all_00 = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_to_all_01 = arith.constant dense<0.0> : tensor<4x8xf32>
    %all_to_all_10 = arith.constant dense<0.0> : tensor<32x1xf32>
    %all_to_all_11 = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_to_all_vc = arith.constant dense<0.0> : tensor<16x2xf32>
    %all_to_all_v = arith.constant dense<0.0> : tensor<16x2xf32>
    return %all_to_all_00, %all_to_all_01, %all_to_all_10, %all_to_all_11, %all_to_all_vc, %all_to_all_v : tensor<16x2xf32>, tensor<4x8xf32>, tensor<32x1xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>
  }
  func.func @step(%old_all_to_all_00: tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_00", other>}, %old_all_to_all_01: tensor<4x8xf32> {train.variable = #train.variable<"all_to_all_01", other>}, %old_all_to_all_10: tensor<32x1xf32> {train.variable = #train.variable<"all_to_all_10", other>}, %old_all_to_all_11: tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_11", other>}, %old_all_to_all_vc: tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_vc", other>}, %old_all_to_all_v: tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_v", other>})
      -> (tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_00", other>}, tensor<4x8xf32> {train.variable = #train.variable<"all_to_all_01", other>}, tensor<32x1xf32> {train.variable = #train.variable<"all_to_all_10", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_11", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_vc", other>}, tensor<16x2xf32> {train.variable = #train.variable<"all_to_all_v", other>}) {
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
    %x0 = collective.all_to_all %a split 0 concat 0 on @world : tensor<4x2xf32>
    %all_to_all_00 = collective.all_gather %x0 along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %x1 = collective.all_to_all %a split 0 concat 1 on @world : tensor<4x2xf32> -> tensor<1x8xf32>
    %all_to_all_01 = collective.all_gather %x1 along 0 on @world : tensor<1x8xf32> -> tensor<4x8xf32>
    %x2 = collective.all_to_all %a split 1 concat 0 on @pairs : tensor<4x2xf32> -> tensor<8x1xf32>
    %all_to_all_10 = collective.all_gather %x2 along 0 on @world : tensor<8x1xf32> -> tensor<32x1xf32>
    %x3 = collective.all_to_all %a split 1 concat 1 on @columns : tensor<4x2xf32>
    %all_to_all_11 = collective.all_gather %x3 along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %matrix = arith.constant dense<[[1, 0, 2, 0], [0, 1, 1, 1], [2, 0, 0, 0], [0, 3, 0, 1]]> : tensor<4x4xi64>
    %init = arith.constant dense<-1.0> : tensor<4x2xf32>
    %x4 = collective.all_to_all_vc %a into %init counts(%matrix) on @world : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xi64>
    %all_to_all_vc = collective.all_gather %x4 along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    // On the first of each pair one row from either rank arrives, on the second two rows from either.
    %counts = arith.constant dense<[1, 2]> : tensor<2xi64>
    %displacements = arith.constant dense<[3, 0]> : tensor<2xi64>
    %pair_rank = collective.rank on @pairs : index
    %zero = arith.constant 0 : index
    %is_first = arith.cmpi eq, %pair_rank, %zero : index
    %one_each = arith.constant dense<1> : tensor<2xi64>
    %two_each = arith.constant dense<2> : tensor<2xi64>
    %to_first = arith.constant dense<[2, 1]> : tensor<2xi64>
    %to_second = arith.constant dense<[0, 2]> : tensor<2xi64>
    %rows = arith.select %is_first, %one_each, %two_each : tensor<2xi64>
    %places = arith.select %is_first, %to_first, %to_second : tensor<2xi64>
    %x5 = collective.all_to_all_v %a into %init send(%counts, %displacements) receive(%rows, %places) on @pairs : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xi64>
    %all_to_all_v = collective.all_gather %x5 along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    return %all_to_all_00, %all_to_all_01, %all_to_all_10, %all_to_all_11, %all_to_all_vc, %all_to_all_v : tensor<16x2xf32>, tensor<4x8xf32>, tensor<32x1xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>
  }
}
