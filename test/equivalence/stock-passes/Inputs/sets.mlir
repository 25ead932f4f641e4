// proved: each pair of ranks goes its own way, with sums that it needs twice, not at all, or beside the program.
module attributes {train.program} {
  collective.group @world
  collective.group @pairs members(#collective.blocks<2>)
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %w = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %rank = collective.rank on @world : index
    %n = arith.index_cast %rank : index to i64
    %f = arith.sitofp %n : i64 to f32
    %spread = tensor.from_elements %f, %f, %f, %f : tensor<4xf32>
    %a = arith.addf %w, %spread : tensor<4xf32>
    %early = collective.all_reduce sum %a on @pairs : tensor<4xf32>
    %pair = arith.divui %rank, %c2 : index
    %is_first = arith.cmpi eq, %pair, %c0 : index
    %met = scf.if %is_first -> tensor<4xf32> {
      %unused = collective.all_reduce sum %a on @pairs : tensor<4xf32>
      %one = collective.all_reduce max %a on @pairs : tensor<4xf32>
      %other = collective.all_reduce max %a on @pairs : tensor<4xf32>
      %0 = arith.addf %one, %other : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      %sum = collective.all_reduce sum %a on @pairs : tensor<4xf32>
      %0 = arith.subf %early, %sum : tensor<4xf32>
      %1 = collective.broadcast %0 from 1 on @pairs : tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    %new = collective.all_reduce mean %met on @world : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
