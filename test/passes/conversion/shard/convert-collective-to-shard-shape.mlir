// A shape of another number of processes than the world has.
// RUN: dist-opt %s --convert-collective-to-shard="shape=2,3" --verify-diagnostics

collective.group @world {size = 4 : i64}
func.func @another_shape(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the option shape describes another number of processes than 4, which the world has}}
  %0 = collective.all_reduce sum %a on @world : tensor<8xf32>
  return %0 : tensor<8xf32>
}
