// Samples that are gathered for their shape alone do not travel: the shape is that of all ranks.
// RUN: dist-opt %s --distribute-reduce-totals | FileCheck %s --implicit-check-not=all_gather

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<contiguous, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x?xf32>
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x?xf32> {train.input = #train.input<"x", @data>},
                  %dy: tensor<?xf32> {train.input = #train.input<"y", @data>}) -> (tensor<4xf32> {train.variable = #w}, tensor<?x?xf32>) {
    // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[X]], %c0
    // CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[X]], %c1
    // CHECK: %[[RANKS:.*]] = collective.size on @world
    // CHECK: %[[ALL:.*]] = arith.muli %[[ROWS]], %[[RANKS]]
    // CHECK: %[[SHAPE:.*]] = tensor.empty(%[[ALL]], %[[COLUMNS]])
    // CHECK: %[[PIECE:.*]] = train.piece %{{.*}} of %{{.*}} in %[[SHAPE]] along 1
    // CHECK: onnx.ReduceSumGrad %{{.*}}, %[[PIECE]]
    %all = train.batch_gather %x : tensor<?x?xf32>
    %own = train.batch_piece %all {axis = 1 : i64} : tensor<?x?xf32>
    %dx = onnx.ReduceSumGrad %dy, %own {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    return %w, %dx : tensor<4xf32>, tensor<?x?xf32>
  }
}
