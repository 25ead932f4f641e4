// The step of examples/embed as JAX would export it: constants for the rate, and for the mean over 64 points.
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%top: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %bottom: tensor<3xf32> {tf.aliasing_output = 1 : i32},
                         %points: tensor<64x3xf32>, %highs: tensor<64xf32>, %lows: tensor<64xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %mean = "stablehlo.constant"() <{value = dense<3.125000e-02> : tensor<64xf32>}> : () -> tensor<64xf32>
    %rate = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<3xf32>}> : () -> tensor<3xf32>
    %top.guess = "stablehlo.dot_general"(%points, %top) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x3xf32>, tensor<3xf32>) -> tensor<64xf32>
    %top.miss = "stablehlo.subtract"(%top.guess, %highs) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %top.part = "stablehlo.multiply"(%top.miss, %mean) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %top.gradient = "stablehlo.dot_general"(%top.part, %points) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64xf32>, tensor<64x3xf32>) -> tensor<3xf32>
    %bottom.guess = "stablehlo.dot_general"(%points, %bottom) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x3xf32>, tensor<3xf32>) -> tensor<64xf32>
    %bottom.miss = "stablehlo.subtract"(%bottom.guess, %lows) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %bottom.part = "stablehlo.multiply"(%bottom.miss, %mean) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %bottom.gradient = "stablehlo.dot_general"(%bottom.part, %points) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64xf32>, tensor<64x3xf32>) -> tensor<3xf32>
    %top.change = "stablehlo.multiply"(%top.gradient, %rate) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %top.next = "stablehlo.subtract"(%top, %top.change) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %bottom.change = "stablehlo.multiply"(%bottom.gradient, %rate) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %bottom.next = "stablehlo.subtract"(%bottom, %bottom.change) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %top.next, %bottom.next : tensor<3xf32>, tensor<3xf32>
  }
}
