// Three layers in the dialect of examples/embed, with their roles: neighbours cut the second along its columns and the third along its rows.
#w0 = #train.variable<"w0", trainable>
#w1 = #train.variable<"w1", trainable>
#w2 = #train.variable<"w2", trainable>
module attributes {train.program} {
  tiny.ranks @world
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<3x5xf32> {train.variable = #w0}, tensor<5x8xf32> {train.variable = #w1}, tensor<8x1xf32> {train.variable = #w2}) {
    %w0 = arith.constant dense<0.1> : tensor<3x5xf32>
    %w1 = arith.constant dense<0.2> : tensor<5x8xf32>
    %w2 = arith.constant dense<0.3> : tensor<8x1xf32>
    return %w0, %w1, %w2 : tensor<3x5xf32>, tensor<5x8xf32>, tensor<8x1xf32>
  }
  func.func @step(%w0: tensor<3x5xf32> {train.variable = #w0}, %w1: tensor<5x8xf32> {train.variable = #w1}, %w2: tensor<8x1xf32> {train.variable = #w2},
                  %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>}, %y: tensor<?x1xf32> {train.input = #train.input<"y", @data>},
                  %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>})
      -> (tensor<3x5xf32> {train.variable = #w0}, tensor<5x8xf32> {train.variable = #w1}, tensor<8x1xf32> {train.variable = #w2}) {
    %a = tiny.product %x, %w0 : tensor<?x3xf32>, tensor<3x5xf32>
    %b = tiny.product %a, %w1 : tensor<?x5xf32>, tensor<5x8xf32>
    %c = arith.mulf %b, %b : tensor<?x8xf32>
    %d = tiny.product %c, %w2 : tensor<?x8xf32>, tensor<8x1xf32>
    %dd = tiny.miss %d, %y : tensor<?x1xf32>
    %ct = tiny.turn %c : tensor<?x8xf32>
    %g2 = tiny.product %ct, %dd : tensor<8x?xf32>, tensor<?x1xf32>
    %w2t = tiny.turn %w2 : tensor<8x1xf32>
    %dc = tiny.product %dd, %w2t : tensor<?x1xf32>, tensor<1x8xf32>
    %half = arith.mulf %dc, %b : tensor<?x8xf32>
    %db = arith.addf %half, %half : tensor<?x8xf32>
    %at = tiny.turn %a : tensor<?x5xf32>
    %g1 = tiny.product %at, %db : tensor<5x?xf32>, tensor<?x8xf32>
    %w1t = tiny.turn %w1 : tensor<5x8xf32>
    %da = tiny.product %db, %w1t : tensor<?x8xf32>, tensor<8x5xf32>
    %xt = tiny.turn %x : tensor<?x3xf32>
    %g0 = tiny.product %xt, %da : tensor<3x?xf32>, tensor<?x5xf32>
    %n0 = tiny.descend %w0, %g0, %rate : tensor<3x5xf32>, tensor<f32>
    %n1 = tiny.descend %w1, %g1, %rate : tensor<5x8xf32>, tensor<f32>
    %n2 = tiny.descend %w2, %g2, %rate : tensor<8x1xf32>, tensor<f32>
    return %n0, %n1, %n2 : tensor<3x5xf32>, tensor<5x8xf32>, tensor<8x1xf32>
  }
}
