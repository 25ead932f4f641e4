// A step of two layers, whose weights neighbours can share: the guess is ((point * first) squared) * second.
tiny.ranks @world
func.func @initialize() -> (tensor<3x4xf32>, tensor<4x1xf32>) {
  %first = arith.constant dense<[[0.5, -0.2, 0.1, 0.4], [0.3, 0.6, -0.4, -0.1], [0.4, 0.2, 0.7, -0.5]]> : tensor<3x4xf32>
  %second = arith.constant dense<[[0.5], [0.25], [0.75], [-0.5]]> : tensor<4x1xf32>
  return %first, %second : tensor<3x4xf32>, tensor<4x1xf32>
}
func.func @step(%first: tensor<3x4xf32>, %second: tensor<4x1xf32>, %points: tensor<?x3xf32>, %highs: tensor<?x1xf32>,
                %lows: tensor<?x1xf32>, %rate: tensor<f32>) -> (tensor<3x4xf32>, tensor<4x1xf32>) {
  %inner = tiny.product %points, %first : tensor<?x3xf32>, tensor<3x4xf32>
  %hidden = arith.mulf %inner, %inner : tensor<?x4xf32>
  %guesses = tiny.product %hidden, %second : tensor<?x4xf32>, tensor<4x1xf32>
  %miss = tiny.miss %guesses, %highs : tensor<?x1xf32>
  %hidden_turned = tiny.turn %hidden : tensor<?x4xf32>
  %second_gradient = tiny.product %hidden_turned, %miss : tensor<4x?xf32>, tensor<?x1xf32>
  %second_turned = tiny.turn %second : tensor<4x1xf32>
  %back = tiny.product %miss, %second_turned : tensor<?x1xf32>, tensor<1x4xf32>
  %half = arith.mulf %back, %inner : tensor<?x4xf32>
  %whole = arith.addf %half, %half : tensor<?x4xf32>
  %points_turned = tiny.turn %points : tensor<?x3xf32>
  %first_gradient = tiny.product %points_turned, %whole : tensor<3x?xf32>, tensor<?x4xf32>
  %slow = arith.constant dense<0.05> : tensor<f32>
  %step = arith.mulf %rate, %slow : tensor<f32>
  %first_next = tiny.descend %first, %first_gradient, %step : tensor<3x4xf32>, tensor<f32>
  %second_next = tiny.descend %second, %second_gradient, %step : tensor<4x1xf32>, tensor<f32>
  return %first_next, %second_next : tensor<3x4xf32>, tensor<4x1xf32>
}
