// A training step that knows nothing of ranks: where a plane through points lies.
func.func @initialize() -> (tensor<2xf32>, tensor<1xf32>) {
  %slopes = arith.constant dense<0.0> : tensor<2xf32>
  %offset = arith.constant dense<0.0> : tensor<1xf32>
  return %slopes, %offset : tensor<2xf32>, tensor<1xf32>
}
func.func @step(%slopes: tensor<2xf32>, %offset: tensor<1xf32>, %samples: tensor<?x2xf32>, %ones: tensor<?x1xf32>,
                %labels: tensor<?xf32>, %rate: tensor<f32>) -> (tensor<2xf32>, tensor<1xf32>) {
  %sloped = tiny.predict %samples, %slopes : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?xf32>
  %level = tiny.predict %ones, %offset : (tensor<?x1xf32>, tensor<1xf32>) -> tensor<?xf32>
  %prediction = arith.addf %sloped, %level : tensor<?xf32>
  %miss = arith.subf %prediction, %labels : tensor<?xf32>
  %ds = tiny.gradient %samples, %miss : (tensor<?x2xf32>, tensor<?xf32>) -> tensor<2xf32>
  %do = tiny.gradient %ones, %miss : (tensor<?x1xf32>, tensor<?xf32>) -> tensor<1xf32>
  %slopes2 = tiny.descend %slopes, %ds, %rate : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %offset2 = tiny.descend %offset, %do, %rate : (tensor<1xf32>, tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  return %slopes2, %offset2 : tensor<2xf32>, tensor<1xf32>
}
