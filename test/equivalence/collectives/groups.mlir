// Groups of every kind, run on four ranks of one node.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: answered i64 {{\[\[}}1, 0, 4, 1, 0, 4, 1, 2, -1, 1], [0, 1, 4, 1, 1, 4, 0, 2, -1, 1], [0, 2, 4, 1, 2, 4, -1, 0, 0, 3], [1, 3, 4, 1, 3, 4, -1, 0, 0, 3]]
// CHECK-NEXT: later f32 {{\[\[}}200, 202], [220, 222], [240, 242], [260, 262], [400, 402], [420, 422], [440, 442], [460, 462], [200, 202], [220, 222], [240, 242], [260, 262], [400, 402], [420, 422], [440, 442], [460, 462]]
// CHECK-NEXT: listed f32 {{\[\[}}100, 102], [120, 122], [140, 142], [160, 162], [100, 102], [120, 122], [140, 142], [160, 162], [200, 201], [210, 211], [220, 221], [230, 231], [300, 301], [310, 311], [320, 321], [330, 331]]
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  collective.group @node members(#collective.per_node) {size = 4 : i64}
  collective.group @cross members(#collective.across_nodes)
  collective.group @listed members(#collective.ranks<[[1, 0]]>)
  collective.group @later members(#collective.at_run_time)
  func.func @initialize() -> (tensor<4x10xi64> {train.variable = #train.variable<"answered", other>}, tensor<16x2xf32> {train.variable = #train.variable<"later", other>}, tensor<16x2xf32> {train.variable = #train.variable<"listed", other>}) {
    %answered = arith.constant dense<0> : tensor<4x10xi64>
    %later = arith.constant dense<0.0> : tensor<16x2xf32>
    %listed = arith.constant dense<0.0> : tensor<16x2xf32>
    return %answered, %later, %listed : tensor<4x10xi64>, tensor<16x2xf32>, tensor<16x2xf32>
  }
  func.func @step(%old_answered: tensor<4x10xi64> {train.variable = #train.variable<"answered", other>}, %old_later: tensor<16x2xf32> {train.variable = #train.variable<"later", other>}, %old_listed: tensor<16x2xf32> {train.variable = #train.variable<"listed", other>})
      -> (tensor<4x10xi64> {train.variable = #train.variable<"answered", other>}, tensor<16x2xf32> {train.variable = #train.variable<"later", other>}, tensor<16x2xf32> {train.variable = #train.variable<"listed", other>}) {
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
    %none = arith.constant -7 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    // Made while the program runs: the even ranks in falling order, and the odd ones in rising order.
    %odd = arith.remui %rank, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %first = arith.select %is_odd, %c1, %c2 : index
    %second = arith.select %is_odd, %c3, %c0 : index
    collective.create_group @later of %first, %second : index, index
    %later_rank = collective.rank on @later : index
    %later_sum = collective.all_reduce sum %a on @later : tensor<4x2xf32>
    collective.barrier on @later
    collective.destroy_group @later
    %node_rank = collective.rank on @node : index
    %node_size = collective.size on @node : index
    %cross_size = collective.size on @cross : index
    %local_rank = collective.local_rank : index
    %local_size = collective.local_size : index
    %listed_rank = collective.rank on @listed : index
    %listed_size = collective.size on @listed : index
    %to_pairs = collective.translate_rank %c2 from @world to @pairs : index
    %to_world = collective.translate_rank %c1 from @pairs to @world : index
    %listed_sum = collective.all_reduce sum %a on @listed : tensor<4x2xf32>
    %answers = tensor.from_elements %later_rank, %node_rank, %node_size, %cross_size, %local_rank, %local_size, %listed_rank, %listed_size, %to_pairs, %to_world : tensor<10xindex>
    %numbers = arith.index_cast %answers : tensor<10xindex> to tensor<10xi64>
    %rows = tensor.expand_shape %numbers [[0, 1]] output_shape [1, 10] : tensor<10xi64> into tensor<1x10xi64>
    %answered = collective.all_gather %rows along 0 on @world : tensor<1x10xi64> -> tensor<4x10xi64>
    %later = collective.all_gather %later_sum along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %listed = collective.all_gather %listed_sum along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    return %answered, %later, %listed : tensor<4x10xi64>, tensor<16x2xf32>, tensor<16x2xf32>
  }
}
