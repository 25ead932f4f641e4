// Rewrites that add floats in another order: equal within rounding.
// RUN: dist-opt %s --collective-simplify=reassociate -o %t.after.mlir
// RUN: dist-run -n 4 %s --steps 3 --dataset %data/digits_train.npz --save %t.before.safetensors --plan | FileCheck %s --check-prefix=BEFORE
// RUN: dist-run -n 4 %t.after.mlir --steps 3 --dataset %data/digits_train.npz --save %t.after.safetensors --plan | FileCheck %s --check-prefix=AFTER
// RUN: %python %compare-checkpoints %t.before.safetensors %t.after.safetensors --limit 1e-6
// BEFORE-COUNT-5: {{^ *[0-9]+ +}}step
// AFTER-COUNT-2: {{^ *[0-9]+ +}}step
// AFTER-NOT: {{^ *[0-9]+ +}}step
// AFTER: trained
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @rows members(#collective.blocks<2>)
  collective.group @columns members(#collective.strided<2>)
  func.func @initialize() -> (tensor<4x2xf32> {train.variable = #train.variable<"added", other>}, tensor<4x2xf32> {train.variable = #train.variable<"nested_sum", other>}) {
    %added = arith.constant dense<0.3> : tensor<4x2xf32>
    %nested_sum = arith.constant dense<0.3> : tensor<4x2xf32>
    return %added, %nested_sum : tensor<4x2xf32>, tensor<4x2xf32>
  }
  func.func @step(%old_added: tensor<4x2xf32> {train.variable = #train.variable<"added", other>},
                  %old_nested_sum: tensor<4x2xf32> {train.variable = #train.variable<"nested_sum", other>})
      -> (tensor<4x2xf32> {train.variable = #train.variable<"added", other>},
          tensor<4x2xf32> {train.variable = #train.variable<"nested_sum", other>}) {
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
    %one = collective.all_reduce mean %v on @world : tensor<4x2xf32>
    %w = arith.mulf %v, %v : tensor<4x2xf32>
    %other = collective.all_reduce mean %w on @world : tensor<4x2xf32>
    %added = arith.addf %one, %other : tensor<4x2xf32>
    %row = collective.all_reduce sum %w on @rows : tensor<4x2xf32>
    %both = collective.all_reduce sum %row on @columns : tensor<4x2xf32>
    %nested_sum = collective.broadcast %both from 0 on @world : tensor<4x2xf32>
    return %added, %nested_sum : tensor<4x2xf32>, tensor<4x2xf32>
  }
}
