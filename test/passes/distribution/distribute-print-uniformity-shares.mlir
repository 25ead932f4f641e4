// What varies is a summand, a part, or a value of the rank's own, in our collectives and in others.
// RUN: dist-opt %s --distribute-print-uniformity=shares -o /dev/null | FileCheck %s
// RUN: %foreign %s --to-exchange --distribute-print-uniformity=shares -o /dev/null | FileCheck %s

module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world>}

  // CHECK-LABEL: @step
  // CHECK-NEXT: Replicate argument %[[W:arg0]]
  // CHECK-NEXT: Shard argument %[[M:arg1]]
  // CHECK-NEXT: Own argument %[[R:arg2]]
  // CHECK-NEXT: Shard argument %[[X:arg3]]
  func.func @step(%w: tensor<8xf32> {train.variable = #train.variable<"w", trainable>},
                  %m: tensor<2xf32> {train.variable = #train.variable<"m", state, sharded<8>>},
                  %r: tensor<8xf32> {train.variable = #train.variable<"r", state, per_rank>},
                  %x: tensor<?x8xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<8xf32> {train.variable = #train.variable<"w", trainable>}) {
    // CHECK: Shard {{.*}}arith.mulf %arg3, %arg3
    %squares = arith.mulf %x, %x : tensor<?x8xf32>
    // CHECK: Partial(sum) {{.*}}train.batch_weight
    %weight = train.batch_weight @data : tensor<f32>
    // CHECK: Partial(sum) {{.*}}train.scale %arg0
    %weighted = train.scale %w by %weight : tensor<8xf32>, tensor<f32>
    // CHECK: Partial(sum) {{.*}}arith.addf
    %twice = arith.addf %weighted, %weighted : tensor<8xf32>
    // A summand and a whole value are no summand.
    // CHECK: Own {{.*}}arith.addf
    %mixed = arith.addf %weighted, %w : tensor<8xf32>
    // CHECK: Own {{.*}}arith.mulf
    %product = arith.mulf %weighted, %weighted : tensor<8xf32>
    // CHECK: Shard {{.*}}reduce_scatter
    %scattered = collective.reduce_scatter sum %twice along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    // CHECK: Shard {{.*}}arith.addf
    %moved = arith.addf %scattered, %m : tensor<2xf32>
    // CHECK: Partial(sum) {{.*}}train.sum_of_squares
    %norm = train.sum_of_squares %moved : tensor<2xf32>
    // CHECK: Replicate {{.*}}all_reduce
    %all = collective.all_reduce sum %norm on @world : tensor<f32>
    // CHECK: Own {{.*}}rank
    %rank = collective.rank on @world : index
    // CHECK: Shard {{.*}}tensor.extract_slice %arg0
    %slice = tensor.extract_slice %w[%rank] [2] [1] : tensor<8xf32> to tensor<2xf32>
    // CHECK: Replicate {{.*}}all_gather
    %next = collective.all_gather %slice along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    return %next : tensor<8xf32>
  }
}
