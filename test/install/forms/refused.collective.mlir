// In the dialect collective: only ranks that say so take part.
module {
  collective.group @world {size = 4 : i64}
  func.func @step(%mine: i1, %a: tensor<64xf32>) -> tensor<64xf32> {
    %r = scf.if %mine -> (tensor<64xf32>) {
      %sum = collective.all_reduce sum %a on @world : tensor<64xf32>
      scf.yield %sum : tensor<64xf32>
    } else {
      scf.yield %a : tensor<64xf32>
    }
    return %r : tensor<64xf32>
  }
}
