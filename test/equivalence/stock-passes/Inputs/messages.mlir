// runs: neighbours send and receive, around collectives that must not come between.
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
    %n = arith.index_cast %rank : index to i64
    %f = arith.sitofp %n : i64 to f32
    %spread = tensor.from_elements %f, %f, %f, %f : tensor<4xf32>
    %a = arith.addf %w, %spread : tensor<4xf32>
    %early = collective.all_reduce sum %a on @world : tensor<4xf32>
    %parity = arith.remui %rank, %c2 : index
    %is_even = arith.cmpi eq, %parity, %c0 : index
    %next = arith.addi %rank, %c1 : index
    %previous = arith.subi %rank, %c1 : index
    scf.if %is_even {
      collective.send %a to %next tag 1 on @world : tensor<4xf32>
    }
    %b = arith.mulf %a, %a : tensor<4xf32>
    %got = scf.if %is_even -> tensor<4xf32> {
      scf.yield %b : tensor<4xf32>
    } else {
      %m = collective.recv from %previous tag 1 on @world : tensor<4xf32>
      scf.yield %m : tensor<4xf32>
    }
    %late = collective.all_reduce sum %b on @world : tensor<4xf32>
    collective.barrier on @world
    %again = collective.all_reduce sum %b on @world : tensor<4xf32>
    %0 = arith.addf %early, %late : tensor<4xf32>
    %1 = arith.subf %0, %again : tensor<4xf32>
    %2 = arith.addf %1, %got : tensor<4xf32>
    %new = collective.all_reduce mean %2 on @world : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
