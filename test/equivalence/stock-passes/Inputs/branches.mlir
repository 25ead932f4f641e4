// runs: what all ranks compute and one branch uses, in loops, twice, for nothing, and beside the program.
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %w = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %rank = collective.rank on @world : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %n = arith.index_cast %rank : index to i64
    %f = arith.sitofp %n : i64 to f32
    %all = tensor.from_elements %f, %f, %f, %f : tensor<4xf32>
    %highest = collective.all_reduce max %all on @world : tensor<4xf32>
    %spread = arith.subf %all, %highest : tensor<4xf32>
    %a = arith.addf %w, %spread : tensor<4xf32>
    %b = arith.mulf %a, %a : tensor<4xf32>
    %for_first = collective.all_reduce sum %a on @world : tensor<4xf32>
    %for_others = collective.all_reduce mean %b on @world : tensor<4xf32>
    %unused = collective.all_reduce max %b on @world : tensor<4xf32>
    %one = collective.all_reduce min %a on @world : tensor<4xf32>
    %other = collective.all_reduce min %a on @world : tensor<4xf32>
    %future = collective.async {
      %0 = collective.all_reduce sum %b on @world : tensor<4xf32>
      collective.yield %0 : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    %work = arith.mulf %b, %a : tensor<4xf32>
    %awaited = collective.await %future : !collective.future<tensor<4xf32>>
    %unused_future = collective.async {
      %0 = collective.all_reduce sum %a on @world : tensor<4xf32>
      collective.yield %0 : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    %unused_value = collective.await %unused_future : !collective.future<tensor<4xf32>>
    %chosen = scf.if %is_first -> tensor<4xf32> {
      %0 = arith.addf %for_first, %awaited : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      %0 = arith.subf %for_others, %work : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    }
    %looped = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %chosen) -> tensor<4xf32> {
      %always = collective.all_reduce max %a on @world : tensor<4xf32>
      %0 = arith.addf %sum, %always : tensor<4xf32>
      %1 = collective.all_reduce mean %0 on @world : tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    %twice = arith.addf %one, %other : tensor<4xf32>
    %again = collective.all_reduce min %a on @world {collective.distinct} : tensor<4xf32>
    %2 = arith.addf %looped, %twice : tensor<4xf32>
    %3 = arith.addf %2, %again : tensor<4xf32>
    %new = collective.all_reduce mean %3 on @world : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
