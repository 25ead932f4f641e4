module attributes {train.program, train.at_launch = ["collective-fuse{bucket-bytes=64}"]} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<2xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %w : tensor<2xf32>
  }
  func.func @step(%w: tensor<2xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x2xf32> {train.input = #train.input<"x", @data>},
                  %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1>})
      -> (tensor<2xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %s = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?x2xf32>) -> tensor<f32>
    %loss = collective.all_reduce mean %s on @world : tensor<f32>
    %sum = arith.addf %w, %w : tensor<2xf32>
    return %sum, %loss : tensor<2xf32>, tensor<f32>
  }
} loc("program":1:2)
