// Each rewrite of collective-simplify that keeps bits: the program runs before and after it on four ranks and ends with the
// same variables, bit for bit.
// RUN: dist-opt %s --collective-simplify -o %t.after.mlir
// RUN: dist-run -n 4 %s --steps 3 --dataset %data/digits_train.npz --save %t.before.safetensors --plan | FileCheck %s --check-prefix=BEFORE
// RUN: dist-run -n 4 %t.after.mlir --steps 3 --dataset %data/digits_train.npz --save %t.after.safetensors --plan | FileCheck %s --check-prefix=AFTER
// RUN: %python %compare-checkpoints %t.before.safetensors %t.after.safetensors --limit 0
// BEFORE-COUNT-14: {{^ *[0-9]+ +}}step
// AFTER-COUNT-8: {{^ *[0-9]+ +}}step
// AFTER-NOT: {{^ *[0-9]+ +}}step
// AFTER: trained
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @rows members(#collective.blocks<2>)
  collective.group @columns members(#collective.strided<2>)
  func.func @initialize() -> (tensor<4x2xf32> {train.variable = #train.variable<"uniform_sum", other>}, tensor<4x2xf32> {train.variable = #train.variable<"uniform_mean", other>}, tensor<16x2xf32> {train.variable = #train.variable<"uniform_copies", other>}, tensor<4x2xf32> {train.variable = #train.variable<"own_part", other>}, tensor<4x2xf32> {train.variable = #train.variable<"pair", other>}, tensor<4x2xi32> {train.variable = #train.variable<"integers", other>}, tensor<4x2xf32> {train.variable = #train.variable<"nested", other>}, tensor<4x2xf32> {train.variable = #train.variable<"narrow_max", other>}, tensor<16x2xf32> {train.variable = #train.variable<"narrow_gather", other>}) {
    %uniform_sum = arith.constant dense<0.3> : tensor<4x2xf32>
    %uniform_mean = arith.constant dense<0.3> : tensor<4x2xf32>
    %uniform_copies = arith.constant dense<0.3> : tensor<16x2xf32>
    %own_part = arith.constant dense<0.3> : tensor<4x2xf32>
    %pair = arith.constant dense<0.3> : tensor<4x2xf32>
    %integers = arith.constant dense<3> : tensor<4x2xi32>
    %nested = arith.constant dense<0.3> : tensor<4x2xf32>
    %narrow_max = arith.constant dense<0.3> : tensor<4x2xf32>
    %narrow_gather = arith.constant dense<0.3> : tensor<16x2xf32>
    return %uniform_sum, %uniform_mean, %uniform_copies, %own_part, %pair, %integers, %nested, %narrow_max, %narrow_gather : tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>
  }
  func.func @step(%old_uniform_sum: tensor<4x2xf32> {train.variable = #train.variable<"uniform_sum", other>},
                  %old_uniform_mean: tensor<4x2xf32> {train.variable = #train.variable<"uniform_mean", other>},
                  %old_uniform_copies: tensor<16x2xf32> {train.variable = #train.variable<"uniform_copies", other>},
                  %old_own_part: tensor<4x2xf32> {train.variable = #train.variable<"own_part", other>},
                  %old_pair: tensor<4x2xf32> {train.variable = #train.variable<"pair", other>},
                  %old_integers: tensor<4x2xi32> {train.variable = #train.variable<"integers", other>},
                  %old_nested: tensor<4x2xf32> {train.variable = #train.variable<"nested", other>},
                  %old_narrow_max: tensor<4x2xf32> {train.variable = #train.variable<"narrow_max", other>},
                  %old_narrow_gather: tensor<16x2xf32> {train.variable = #train.variable<"narrow_gather", other>})
      -> (tensor<4x2xf32> {train.variable = #train.variable<"uniform_sum", other>},
          tensor<4x2xf32> {train.variable = #train.variable<"uniform_mean", other>},
          tensor<16x2xf32> {train.variable = #train.variable<"uniform_copies", other>},
          tensor<4x2xf32> {train.variable = #train.variable<"own_part", other>},
          tensor<4x2xf32> {train.variable = #train.variable<"pair", other>},
          tensor<4x2xi32> {train.variable = #train.variable<"integers", other>},
          tensor<4x2xf32> {train.variable = #train.variable<"nested", other>},
          tensor<4x2xf32> {train.variable = #train.variable<"narrow_max", other>},
          tensor<16x2xf32> {train.variable = #train.variable<"narrow_gather", other>}) {
    // Element (i, j) of rank r is 0.37 (100 r + 10 i + j), which no float is exactly.
    %rank = collective.rank on @world : index
    %space = tensor.empty() : tensor<4x2xf32>
    %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%space : tensor<4x2xf32>) {
    ^bb0(%unused: f32):
      %hundred = arith.constant 100 : index
      %ten = arith.constant 10 : index
      %part = arith.constant 0.37 : f32
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %r100 = arith.muli %rank, %hundred : index
      %i10 = arith.muli %i, %ten : index
      %ri = arith.addi %r100, %i10 : index
      %rij = arith.addi %ri, %j : index
      %n = arith.index_cast %rij : index to i64
      %f = arith.sitofp %n : i64 to f32
      %x = arith.mulf %f, %part : f32
      linalg.yield %x : f32
    } -> tensor<4x2xf32>
    %uniform_sum = collective.all_reduce sum %old_uniform_mean on @world : tensor<4x2xf32>
    %uniform_mean = collective.all_reduce mean %old_uniform_mean on @world : tensor<4x2xf32>
    %uniform_copies = collective.all_gather %old_uniform_mean along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    %whole = collective.all_reduce sum %v on @world : tensor<4x2xf32>
    %own = tensor.extract_slice %whole[%rank, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<1x2xf32>
    %negative = arith.negf %own : tensor<1x2xf32>
    %own_part = collective.all_gather %negative along 0 on @world : tensor<1x2xf32> -> tensor<4x2xf32>
    %part = collective.reduce_scatter mean %v along 0 on @world : tensor<4x2xf32> -> tensor<1x2xf32>
    %pair = collective.all_gather %part along 0 on @world : tensor<1x2xf32> -> tensor<4x2xf32>
    %integer = arith.fptosi %v : tensor<4x2xf32> to tensor<4x2xi32>
    %square = arith.muli %integer, %integer : tensor<4x2xi32>
    %one = collective.all_reduce sum %integer on @world : tensor<4x2xi32>
    %other = collective.all_reduce sum %square on @world : tensor<4x2xi32>
    %integers = arith.addi %one, %other : tensor<4x2xi32>
    %row = collective.all_reduce max %v on @rows : tensor<4x2xf32>
    %both = collective.all_reduce max %row on @columns : tensor<4x2xf32>
    %nested = collective.broadcast %both from 0 on @world : tensor<4x2xf32>
    %half = arith.truncf %v : tensor<4x2xf32> to tensor<4x2xf16>
    %wide = arith.extf %half : tensor<4x2xf16> to tensor<4x2xf32>
    %narrow_max = collective.all_reduce max %wide on @world : tensor<4x2xf32>
    %narrow_gather = collective.all_gather %wide along 0 on @world : tensor<4x2xf32> -> tensor<16x2xf32>
    return %uniform_sum, %uniform_mean, %uniform_copies, %own_part, %pair, %integers, %nested, %narrow_max, %narrow_gather : tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>
  }
}
