// A large row and a number.
collective.group @world
func.func @step(%a: tensor<4194304xf32>, %b: tensor<f32>) -> (tensor<4194304xf32>, tensor<f32>) {
  %0 = collective.all_reduce mean %a on @world : tensor<4194304xf32>
  %1 = collective.all_reduce mean %b on @world : tensor<f32>
  return %0, %1 : tensor<4194304xf32>, tensor<f32>
}
