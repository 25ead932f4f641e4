// In the dialect of examples/embed.
module {
  tiny.ranks @world 4
  func.func @initialize(%w: tensor<512xf32>, %v: tensor<2xf32>) -> (tensor<512xf32>, tensor<2xf32>) {
    %w0 = tiny.exchange {group = @world, kind = "broadcast"} %w : (tensor<512xf32>) -> tensor<512xf32>
    %v0 = tiny.exchange {group = @world, kind = "broadcast"} %v : (tensor<2xf32>) -> tensor<2xf32>
    return %w0, %v0 : tensor<512xf32>, tensor<2xf32>
  }
  func.func @step(%a: tensor<1024xf32>, %b: tensor<256xf32>, %c: tensor<64xf32>, %d: tensor<2048xf32>, %e: tensor<512xf32>, %f: tensor<16xf32>) -> (tensor<1024xf32>, tensor<256xf32>, tensor<64xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<16xf32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %a1 = tiny.exchange {group = @world, kind = "all_reduce", reduction = "sum"} %a : (tensor<1024xf32>) -> tensor<1024xf32>
    %b1 = tiny.exchange {group = @world, kind = "all_reduce", reduction = "sum"} %b : (tensor<256xf32>) -> tensor<256xf32>
    %c1 = tiny.exchange {group = @world, kind = "all_reduce", reduction = "max"} %c : (tensor<64xf32>) -> tensor<64xf32>
    %d1 = tiny.exchange {group = @world, kind = "all_reduce", reduction = "sum"} %d : (tensor<2048xf32>) -> tensor<2048xf32>
    %e1 = tiny.exchange {group = @world, kind = "all_reduce", reduction = "sum"} %e : (tensor<512xf32>) -> tensor<512xf32>
    %f1 = scf.for %i = %zero to %three step %one iter_args(%now = %f) -> (tensor<16xf32>) {
      %next = tiny.exchange {group = @world, kind = "all_reduce", reduction = "sum"} %now : (tensor<16xf32>) -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    return %a1, %b1, %c1, %d1, %e1, %f1 : tensor<1024xf32>, tensor<256xf32>, tensor<64xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<16xf32>
  }
}
