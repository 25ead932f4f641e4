// A training step that knows nothing of ranks: where two planes through points lie. A point is (a, b, 1).
tiny.ranks @world
func.func @initialize() -> (tensor<3xf32>, tensor<3xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  return %zeros, %zeros : tensor<3xf32>, tensor<3xf32>
}
func.func @step(%top: tensor<3xf32>, %bottom: tensor<3xf32>, %points: tensor<?x3xf32>, %highs: tensor<?xf32>,
                %lows: tensor<?xf32>, %rate: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %dt = tiny.gradient %points, %highs, %top : tensor<?x3xf32>, tensor<?xf32>, tensor<3xf32>
  %db = tiny.gradient %points, %lows, %bottom : tensor<?x3xf32>, tensor<?xf32>, tensor<3xf32>
  %top2 = tiny.descend %top, %dt, %rate : tensor<3xf32>, tensor<f32>
  %bottom2 = tiny.descend %bottom, %db, %rate : tensor<3xf32>, tensor<f32>
  return %top2, %bottom2 : tensor<3xf32>, tensor<3xf32>
}
