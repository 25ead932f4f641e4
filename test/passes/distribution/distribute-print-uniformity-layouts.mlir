// How values lie on the ranks, by the rules of their operations: parts and summands of one value, or a rank's own.
// RUN: dist-opt %s --distribute-print-uniformity=layouts -o /dev/null | FileCheck %s

module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}

  // CHECK-LABEL: @step
  // CHECK-NEXT: Replicate argument %[[W:arg0]]
  // CHECK-NEXT: Own argument %[[R:arg1]]
  // CHECK-NEXT: Shard(0) argument %[[X:arg2]]
  func.func @step(%w: tensor<8x2xf32> {train.variable = #train.variable<"w", trainable>},
                  %r: tensor<8xf32> {train.variable = #train.variable<"r", state, per_rank>},
                  %x: tensor<?x8xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.metric = "loss"}) {
    // CHECK: Shard(0) {{.*}}arith.mulf %arg2, %arg2
    %squares = arith.mulf %x, %x : tensor<?x8xf32>
    // CHECK: Shard(0) {{.*}}onnx.MatMul
    %y = onnx.MatMul %squares, %w : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
    // CHECK: Partial(sum) {{.*}}onnx.ReduceSum
    %sum = onnx.ReduceSum %y {keepdims = 0 : i64} : (tensor<?x2xf32>) -> tensor<f32>
    // CHECK: Partial(max) {{.*}}onnx.ReduceMax
    %most = onnx.ReduceMax %y {keepdims = 0 : i64} : (tensor<?x2xf32>) -> tensor<f32>
    // A summand times a summand is none.
    // CHECK: Own {{.*}}onnx.Mul
    %product = onnx.Mul %sum, %sum : (tensor<f32>, tensor<f32>) -> tensor<f32>
    // CHECK: Own {{.*}}collective.rank
    %rank = collective.rank on @world : index
    // CHECK: Replicate {{.*}}collective.all_reduce
    %all = collective.all_reduce sum %sum on @world : tensor<f32>
    return %all : tensor<f32>
  }

  // Of a function that is no step nothing is followed.
  // CHECK-LABEL: @other
  // CHECK-NEXT: Own argument
  func.func @other(%x: tensor<?x8xf32> {train.input = #train.input<"x", @data>}) {
    return
  }
}
