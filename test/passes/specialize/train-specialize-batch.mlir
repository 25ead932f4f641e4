// The batch becomes a number; every type and the weight of the rank follow.
// RUN: dist-opt %s --train-specialize-batch --split-input-file | FileCheck %s --check-prefixes=CHECK,CEIL
// RUN: dist-opt %s --train-specialize-batch="rank-class=floor" --split-input-file | FileCheck %s --check-prefixes=CHECK,FLOOR
// RUN: dist-opt %s --train-specialize-batch="local-batch=20" --split-input-file | FileCheck %s --check-prefix=LOCAL

// CHECK-LABEL: @one_rank_takes_all
// LOCAL-LABEL: @one_rank_takes_all
module @one_rank_takes_all attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  // CHECK: func.func @step(%{{.*}}: tensor<64x4xf32> {{.*}}) -> (tensor<64x4xf32> {{.*}}, tensor<64xf32> {{.*}}, tensor<f32>
  // LOCAL: func.func @step(%{{.*}}: tensor<20x4xf32> {{.*}}) -> (tensor<20x4xf32> {{.*}}, tensor<20xf32>
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>},
                  %y: tensor<?xi64> {train.input = #train.input<"label", @data>})
      -> (tensor<?x4xf32> {train.output = "y"}, tensor<?xf32> {train.output = "a"}, tensor<f32> {train.metric = "w"}) {
    // CHECK: onnx.Relu {{.*}} -> tensor<64x4xf32>
    %0 = onnx.Relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
    // CHECK: train.accuracy {{.*}} -> tensor<64xf32>
    %1 = train.accuracy %0, %y : tensor<?x4xf32>, tensor<?xi64> -> tensor<?xf32>
    // CHECK: arith.constant dense<1.000000e+00> : tensor<f32>
    %2 = train.batch_weight @data : tensor<f32>
    return %0, %1, %2 : tensor<?x4xf32>, tensor<?xf32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: @equal_shares
module @equal_shares attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // CHECK: func.func @step(%{{.*}}: tensor<16x4xf32>
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>})
      -> (tensor<?x4xf32> {train.output = "y"}, tensor<?x4xf32> {train.output = "g"}, tensor<f32> {train.metric = "w"}) {
    // CHECK: collective.all_reduce sum {{.*}} : tensor<16x4xf32>
    %0 = collective.all_reduce sum %x on @world : tensor<?x4xf32>
    // CHECK: collective.all_gather {{.*}} : tensor<16x4xf32> -> tensor<64x4xf32>
    %1 = collective.all_gather %x along 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK: collective.reduce_scatter {{.*}} : tensor<64x4xf32> -> tensor<16x4xf32>
    %2 = collective.reduce_scatter sum %1 along 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK: arith.constant dense<2.500000e-01> : tensor<f32>
    %w = train.batch_weight @data : tensor<f32>
    return %2, %1, %w : tensor<?x4xf32>, tensor<?x4xf32>, tensor<f32>
  }
}

// -----

// 64 samples on 3 ranks: one takes 22, two take 21.
// CHECK-LABEL: @weighted
module @weighted attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<contiguous, weighted, @world, ranks = 3>}
  // CEIL: func.func @step(%{{.*}}: tensor<22xf32>
  // FLOOR: func.func @step(%{{.*}}: tensor<21xf32>
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"input", @data>}) -> (tensor<f32> {train.metric = "w"}) {
    // CEIL: arith.constant dense<3.437500e-01>
    // FLOOR: arith.constant dense<3.281250e-01>
    %w = train.batch_weight @data : tensor<f32>
    return %w : tensor<f32>
  }
}

// -----

// CHECK-LABEL: @drop_rounds_down
module @drop_rounds_down attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, drop, @world, ranks = 3>}
  // CHECK: @step(%{{.*}}: tensor<21xf32>
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"input", @data>}) {
    return
  }
}

// -----

// CHECK-LABEL: @pad_rounds_up
module @pad_rounds_up attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, pad, @world, ranks = 3>}
  // CHECK: @step(%{{.*}}: tensor<22xf32>
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"input", @data>}) {
    return
  }
}

// -----

// CHECK-LABEL: @static_already
// LOCAL-LABEL: @static_already
module @static_already {
  // CHECK: func.func @step(%{{.*}}: tensor<8x4xf32>) -> tensor<8x4xf32>
  // LOCAL: func.func @step(%{{.*}}: tensor<8x4xf32>) -> tensor<8x4xf32>
  func.func @step(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}

// -----

// A batch of one sample is no dimension to squeeze: what has no axes drops what is 1 in the model.
// CHECK-LABEL: @one_sample
module @one_sample attributes {train.program} {
  train.dataset @data {global_batch = 1 : i64}
  // CHECK: func.func @step(%{{.*}}: tensor<1x1x4xf32> {{.*}}) -> (tensor<1x4xf32>
  func.func @step(%x: tensor<?x1x4xf32> {train.input = #train.input<"input", @data>}) -> (tensor<?x4xf32> {train.output = "y"}) {
    // CHECK: onnx.Squeeze %{{.*}} {axes = array<i64: 1>} : (tensor<1x1x4xf32>) -> tensor<1x4xf32>
    %0 = onnx.Squeeze %x : (tensor<?x1x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}

// -----

// The results of all collectives follow from their inputs and the number of ranks.
// CHECK-LABEL: @every_collective
module @every_collective attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}) -> (tensor<?x4xf32> {train.output = "y"}) {
    // CHECK: collective.broadcast {{.*}} : tensor<16x4xf32>
    %0 = collective.broadcast %x from 0 on @world : tensor<?x4xf32>
    // CHECK: collective.reduce sum {{.*}} : tensor<16x4xf32>
    %1 = collective.reduce sum %0 to 0 on @world : tensor<?x4xf32>
    // CHECK: collective.gather {{.*}} : tensor<16x4xf32> -> tensor<64x4xf32>
    %2 = collective.gather %1 along 0 to 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK: collective.scatter {{.*}} : tensor<64x4xf32> -> tensor<16x4xf32>
    %3 = collective.scatter %2 along 0 from 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK: collective.all_to_all {{.*}} : tensor<16x4xf32> -> tensor<4x16xf32>
    %4 = collective.all_to_all %3 split 0 concat 1 on @world : tensor<?x4xf32> -> tensor<?x16xf32>
    // CHECK: collective.all_to_all {{.*}} : tensor<4x16xf32> -> tensor<16x4xf32>
    %5 = collective.all_to_all %4 split 1 concat 0 on @world : tensor<?x16xf32> -> tensor<?x4xf32>
    return %5 : tensor<?x4xf32>
  }
}

// -----

// What a future promises is refined with the communication, and so is what is awaited.
// CHECK-LABEL: @futures
module @futures attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>})
      -> (tensor<?x4xf32> {train.output = "y"}) {
    %f = collective.async {
      %0 = collective.all_gather %x along 0 on @world : tensor<?x4xf32> -> tensor<?x4xf32>
      collective.yield %0 : tensor<?x4xf32>
    } : !collective.future<tensor<?x4xf32>>
    // CHECK: collective.await %{{.*}} : !collective.future<tensor<64x4xf32>>
    // LOCAL: collective.await %{{.*}} : !collective.future<tensor<80x4xf32>>
    %1 = collective.await %f : !collective.future<tensor<?x4xf32>>
    // CHECK: onnx.Relu {{.*}} -> tensor<64x4xf32>
    %2 = onnx.Relu %1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return %2 : tensor<?x4xf32>
  }
}

// -----

// What only whole batches have is evaluated on global ones, by each rank.
// CHECK-LABEL: @whole_batches
module @whole_batches attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // CHECK: func.func @evaluate(%{{.*}}: tensor<64x4xf32>
  func.func @evaluate(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>})
      -> (tensor<f32> {train.whole_batch_metric = "loss"}) {
    %0 = onnx.ReduceMax %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// A batch that the model fixes is a whole one.
// CHECK-LABEL: @fixed_batches
module @fixed_batches attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // CHECK: func.func @evaluate(%{{.*}}: tensor<16x4xf32> {{.*}}, %{{.*}}: tensor<16xf32>
  func.func @evaluate(%x: tensor<16x4xf32> {train.input = #train.input<"input", @data>},
                      %y: tensor<?xf32> {train.input = #train.input<"target", @data>})
      -> (tensor<f32> {train.whole_batch_metric = "loss"}) {
    %0 = onnx.ReduceMax %x {keepdims = 0 : i64} : (tensor<16x4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
