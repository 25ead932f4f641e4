// The program that all three forms say, in the dialect collective: buckets, a loop, variables that start equal.
module {
  collective.group @world {size = 4 : i64}
  func.func @initialize(%w: tensor<512xf32>, %v: tensor<2xf32>) -> (tensor<512xf32>, tensor<2xf32>) {
    %w0 = collective.broadcast %w from 0 on @world : tensor<512xf32>
    %v0 = collective.broadcast %v from 0 on @world : tensor<2xf32>
    return %w0, %v0 : tensor<512xf32>, tensor<2xf32>
  }
  func.func @step(%a: tensor<1024xf32>, %b: tensor<256xf32>, %c: tensor<64xf32>, %d: tensor<2048xf32>, %e: tensor<512xf32>, %f: tensor<16xf32>) -> (tensor<1024xf32>, tensor<256xf32>, tensor<64xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<16xf32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %a1 = collective.all_reduce sum %a on @world : tensor<1024xf32>
    %b1 = collective.all_reduce sum %b on @world : tensor<256xf32>
    %c1 = collective.all_reduce max %c on @world : tensor<64xf32>
    %d1 = collective.all_reduce sum %d on @world : tensor<2048xf32>
    %e1 = collective.all_reduce sum %e on @world : tensor<512xf32>
    %f1 = scf.for %i = %zero to %three step %one iter_args(%now = %f) -> (tensor<16xf32>) {
      %next = collective.all_reduce sum %now on @world : tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    return %a1, %b1, %c1, %d1, %e1, %f1 : tensor<1024xf32>, tensor<256xf32>, tensor<64xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<16xf32>
  }
}
