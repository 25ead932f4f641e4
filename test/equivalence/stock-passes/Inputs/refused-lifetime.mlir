// refused: the group is used after its end, though an equal collective stands before it.
module attributes {train.program} {
  collective.group @world
  collective.group @later members(#collective.at_run_time)
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %w = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %rank = collective.rank on @world : index
    collective.create_group @later of %rank : index
    %0 = collective.all_reduce sum %w on @later : tensor<4xf32>
    collective.destroy_group @later
    %1 = collective.all_reduce sum %w on @later : tensor<4xf32>
    %2 = arith.addf %0, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
