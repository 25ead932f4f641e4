// refused: ranks that wait in a circle, after a loop that all of them take.
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
    %c2 = arith.constant 2 : index
    %rank = collective.rank on @world : index
    %size = collective.size on @world : index
    %up = arith.addi %rank, %c1 : index
    %next = arith.remui %up, %size : index
    %down = arith.addi %rank, %size : index
    %less = arith.subi %down, %c1 : index
    %previous = arith.remui %less, %size : index
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %w) -> tensor<4xf32> {
      collective.send %x to %next tag 1 on @world : tensor<4xf32>
      %0 = collective.recv from %previous tag 1 on @world : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    }
    %new = collective.all_reduce mean %r on @world : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
