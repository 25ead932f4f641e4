// refused: only one rank comes to what all must.
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %w = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", other>}) {
    %c0 = arith.constant 0 : index
    %rank = collective.rank on @world : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %r = scf.if %is_first -> tensor<4xf32> {
      %0 = collective.all_reduce sum %w on @world : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      scf.yield %w : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}
