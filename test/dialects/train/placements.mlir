// Placements of variables: replicate is what is not written, a part knows the shape of the whole.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK: @placements(tensor<4xf32> {train.variable = #train.variable<"a", trainable>}
// CHECK-SAME: tensor<4xf32> {train.variable = #train.variable<"b", trainable>}
// CHECK-SAME: tensor<3xf32> {train.variable = #train.variable<"c", state, shard<2x5>>}
// CHECK-SAME: tensor<?xf32> {train.variable = #train.variable<"d", state, shard<64>>}
// CHECK-SAME: tensor<1xf32> {train.variable = #train.variable<"e", state, shard<>>}
// CHECK-SAME: tensor<2x5xf32> {train.variable = #train.variable<"f", other, per_rank>}
func.func private @placements(tensor<4xf32> {train.variable = #train.variable<"a", trainable>},
    tensor<4xf32> {train.variable = #train.variable<"b", trainable, replicate>},
    tensor<3xf32> {train.variable = #train.variable<"c", state, shard<2x5>>},
    tensor<?xf32> {train.variable = #train.variable<"d", state, shard<64>>},
    tensor<1xf32> {train.variable = #train.variable<"e", state, shard<>>},
    tensor<2x5xf32> {train.variable = #train.variable<"f", other, per_rank>})
