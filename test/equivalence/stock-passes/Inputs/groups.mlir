// runs: groups that are made, ended and made again in another order, before, in and after a loop; ranks asked in between.
module attributes {train.program} {
  collective.group @world
  collective.group @later members(#collective.at_run_time)
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %w = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %rank = collective.rank on @world : index
    %n = arith.index_cast %rank : index to i64
    %f = arith.sitofp %n : i64 to f32
    %spread = tensor.from_elements %f, %f, %f, %f : tensor<4xf32>
    %a = arith.addf %w, %spread : tensor<4xf32>
    %pair = arith.divui %rank, %c2 : index
    %even = arith.muli %pair, %c2 : index
    %odd = arith.addi %even, %c1 : index
    collective.create_group @later of %even, %odd : index, index
    %first = collective.broadcast %a from 0 on @later : tensor<4xf32>
    %at1 = collective.rank on @later : index
    %at1_integer = arith.index_cast %at1 : index to i64
    %at1_float = arith.sitofp %at1_integer : i64 to f32
    %place0 = tensor.from_elements %at1_float, %at1_float, %at1_float, %at1_float : tensor<4xf32>
    collective.destroy_group @later
    collective.create_group @later of %odd, %even : index, index
    %second = collective.broadcast %a from 0 on @later : tensor<4xf32>
    %at2 = collective.rank on @later : index
    %at2_integer = arith.index_cast %at2 : index to i64
    %at2_float = arith.sitofp %at2_integer : i64 to f32
    %place1 = tensor.from_elements %at2_float, %at2_float, %at2_float, %at2_float : tensor<4xf32>
    %unused = collective.all_reduce sum %a on @later : tensor<4xf32>
    collective.destroy_group @later
    %looped = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %first) -> tensor<4xf32> {
      %parity = arith.remui %i, %c2 : index
      %is_odd = arith.cmpi eq, %parity, %c1 : index
      %one = arith.select %is_odd, %odd, %even : index
      %other = arith.select %is_odd, %even, %odd : index
      collective.create_group @later of %one, %other : index, index
      %root = collective.broadcast %a from 0 on @later : tensor<4xf32>
      %at3 = collective.rank on @later : index
      %at3_integer = arith.index_cast %at3 : index to i64
      %at3_float = arith.sitofp %at3_integer : i64 to f32
      %place = tensor.from_elements %at3_float, %at3_float, %at3_float, %at3_float : tensor<4xf32>
      collective.destroy_group @later
      %0 = arith.mulf %root, %place : tensor<4xf32>
      %1 = arith.addf %sum, %0 : tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    %2 = arith.mulf %first, %place0 : tensor<4xf32>
    %3 = arith.mulf %second, %place1 : tensor<4xf32>
    %4 = arith.subf %2, %3 : tensor<4xf32>
    %5 = arith.addf %4, %looped : tensor<4xf32>
    %new = collective.all_reduce mean %5 on @world : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
