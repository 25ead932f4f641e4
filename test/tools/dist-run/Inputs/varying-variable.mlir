// A step whose variable takes the number of the rank: it cannot stay equal on all ranks.
module attributes {train.program} {
  collective.group @everyone
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<f32> {train.variable = #train.variable<"weight", trainable>}) {
    %0 = arith.constant dense<0.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @step(%w: tensor<f32> {train.variable = #train.variable<"weight", trainable>},
                  %x: tensor<?xi64> {train.input = #train.input<"label", @data>})
      -> (tensor<f32> {train.variable = #train.variable<"weight", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %rank = collective.rank on @everyone : index
    %integer = arith.index_cast %rank : index to i64
    %float = arith.sitofp %integer : i64 to f32
    %varying = tensor.from_elements %float : tensor<f32>
    %new = arith.addf %w, %varying : tensor<f32>
    return %new, %w : tensor<f32>, tensor<f32>
  }
}
