// Rank 0 sends with tag 1, rank 1 receives with tag 2.
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"y", other>}) {
    %y = arith.constant dense<0.0> : tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func @step(%y: tensor<4xf32> {train.variable = #train.variable<"y", other>})
      -> (tensor<4xf32> {train.variable = #train.variable<"y", other>}) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rank = collective.rank on @world : index
    %first = arith.cmpi eq, %rank, %zero : index
    scf.if %first {
      collective.send %y to %one tag 1 on @world : tensor<4xf32>
    } else {
      %got = collective.recv from %zero tag 2 on @world : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }
}
