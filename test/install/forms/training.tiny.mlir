// The step of examples/embed, with its roles. In the dialect collective it declares another group.
#top = #train.variable<"top", trainable>
#bottom = #train.variable<"bottom", trainable>
module attributes {train.program} {
  tiny.ranks @world
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<3xf32> {train.variable = #top}, tensor<3xf32> {train.variable = #bottom}) {
    %zeros = arith.constant dense<0.0> : tensor<3xf32>
    return %zeros, %zeros : tensor<3xf32>, tensor<3xf32>
  }
  func.func @step(%top: tensor<3xf32> {train.variable = #top}, %bottom: tensor<3xf32> {train.variable = #bottom},
                  %points: tensor<?x3xf32> {train.input = #train.input<"points", @data>},
                  %highs: tensor<?xf32> {train.input = #train.input<"highs", @data>},
                  %lows: tensor<?xf32> {train.input = #train.input<"lows", @data>},
                  %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>})
      -> (tensor<3xf32> {train.variable = #top}, tensor<3xf32> {train.variable = #bottom}) {
    %dt = tiny.gradient %points, %highs, %top : tensor<?x3xf32>, tensor<?xf32>, tensor<3xf32>
    %db = tiny.gradient %points, %lows, %bottom : tensor<?x3xf32>, tensor<?xf32>, tensor<3xf32>
    %top2 = tiny.descend %top, %dt, %rate : tensor<3xf32>, tensor<f32>
    %bottom2 = tiny.descend %bottom, %db, %rate : tensor<3xf32>, tensor<f32>
    return %top2, %bottom2 : tensor<3xf32>, tensor<3xf32>
  }
}
