module attributes {train.at_launch = ["collective-overlap"], train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<4xf32>
    %0 = collective.broadcast %cst from 0 on @world : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @step(%arg0: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %arg1: tensor<?xf32> {train.input = #train.input<"input", @data>}, %arg2: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.000000e-01 : f64>}) -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Relu %arg0 : (tensor<4xf32>) -> tensor<4xf32>
    %1 = collective.all_reduce mean %0 on @world : tensor<4xf32>
    %2 = train.sgd %arg0 gradient %1 rate %arg2 : tensor<4xf32>, tensor<f32>
    return %2 : tensor<4xf32>
  }
}
