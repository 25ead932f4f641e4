// What a step makes of all samples is completed where it is used; means of independent samples are left alone.
// RUN: dist-opt %s --distribute-verify-samples --split-input-file | FileCheck %s

// A mean of independent samples, and a regulariser that all parts have alike.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  // CHECK-NOT: train.batch
  func.func @step(%w: tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<?x6xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0 : f64>})
      -> (tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %z = onnx.MatMul %x, %w : (tensor<?x6xf32>, tensor<6x3xf32>) -> tensor<?x3xf32>
    %loss = onnx.ReduceMean %z {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    %one = train.full_like %loss, 1.0 : tensor<f32>
    %dz = onnx.ReduceMeanGrad %one, %z {keepdims = 0 : i64} : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %dw = onnx.Gemm %x, %dz {transA = 1 : i64} : (tensor<?x6xf32>, tensor<?x3xf32>) -> tensor<6x3xf32>
    %all = arith.addf %dw, %w : tensor<6x3xf32>
    %next = train.sgd %w gradient %all rate %lr : tensor<6x3xf32>, tensor<f32>
    return %next, %loss : tensor<6x3xf32>, tensor<f32>
  }
}

// -----

// A sum over samples: gradient and metric are summands.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<?x6xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0 : f64>})
      -> (tensor<6x3xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"}, tensor<f32> {train.metric = "most"}) {
    %z = onnx.MatMul %x, %w : (tensor<?x6xf32>, tensor<6x3xf32>) -> tensor<?x3xf32>
    // CHECK: %[[SUM:.*]] = onnx.ReduceSum
    // CHECK: %[[LOSS:.*]] = train.batch_sum %[[SUM]] : tensor<f32>
    %loss = onnx.ReduceSum %z {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    // CHECK: %[[LARGEST:.*]] = onnx.ReduceMax
    // CHECK: %[[MOST:.*]] = train.batch_total %[[LARGEST]] {reduction = "max"} : tensor<f32>
    %most = onnx.ReduceMax %z {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    %one = train.full_like %loss, 1.0 : tensor<f32>
    %dz = onnx.ReduceSumGrad %one, %z {keepdims = 0 : i64} : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    // CHECK: %[[DW:.*]] = onnx.Gemm
    // CHECK: %[[GRADIENT:.*]] = train.batch_sum %[[DW]]
    // CHECK: train.sgd %{{.*}} gradient %[[GRADIENT]]
    %dw = onnx.Gemm %x, %dz {transA = 1 : i64} : (tensor<?x6xf32>, tensor<?x3xf32>) -> tensor<6x3xf32>
    %next = train.sgd %w gradient %dw rate %lr : tensor<6x3xf32>, tensor<f32>
    // CHECK: return %{{.*}}, %[[LOSS]], %[[MOST]]
    return %next, %loss, %most : tensor<6x3xf32>, tensor<f32>, tensor<f32>
  }
}

// -----

// A root, a quotient of sums, and the quotient of each sample by a sum.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %mask: tensor<?x4xf32> {train.input = #train.input<"mask", @data>})
      -> (tensor<f32> {train.metric = "root"}, tensor<f32> {train.metric = "quotient"}) {
    // CHECK: %[[MEAN:.*]] = onnx.ReduceMean
    // CHECK: %[[SHARE:.*]] = train.batch_share %[[MEAN]]
    // CHECK: %[[TOTAL:.*]] = train.batch_total %[[SHARE]]
    // CHECK: onnx.Sqrt %[[TOTAL]]
    %mean = onnx.ReduceMean %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %root = onnx.Sqrt %mean : (tensor<f32>) -> tensor<f32>
    %sum = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    // CHECK: onnx.ReduceSum
    // CHECK: %[[COUNT:.*]] = onnx.ReduceSum %{{.*}}
    // CHECK: %[[ALL:.*]] = train.batch_total %[[COUNT]]
    // CHECK: %[[PART:.*]] = train.batch_share %[[ALL]]
    // CHECK: onnx.Div %{{.*}}, %[[PART]]
    %count = onnx.ReduceSum %mask {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %quotient = onnx.Div %sum, %count : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %root, %quotient : tensor<f32>, tensor<f32>
  }
}

// -----

// All pairs of samples: one side is gathered.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    // CHECK: %[[TURNED:.*]] = onnx.Transpose
    // CHECK: %[[ALL:.*]] = train.batch_gather %[[TURNED]] {axis = 1 : i64}
    // CHECK: onnx.MatMul %{{.*}}, %[[ALL]]
    %t = onnx.Transpose %x {perm = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>
    %pairs = onnx.MatMul %x, %t : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
    %loss = onnx.ReduceMean %pairs {keepdims = 0 : i64} : (tensor<?x?xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A batch that is fixed in the file: what couples samples is noted, for several ranks have several batches.
// CHECK: module attributes {train.fixed_batch = #loc{{[0-9]*}}, train.program}
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%x: tensor<8x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    // CHECK-NOT: train.batch_gather
    %t = onnx.Transpose %x {perm = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %pairs = onnx.MatMul %x, %t : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %loss = onnx.ReduceMean %pairs {keepdims = 0 : i64} : (tensor<8x8xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The mean of independent samples is that of any number of batches.
// CHECK: module attributes {train.program}
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%x: tensor<8x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "loss"}) {
    %y = onnx.Exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %loss = onnx.ReduceMean %y {keepdims = 0 : i64} : (tensor<8x4xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What looks at a sum for its shape alone takes that of the completed one, which all ranks have alike.
module attributes {train.program} {
  train.dataset @data
  // CHECK-LABEL: func.func @step
  func.func @step(%x: tensor<?x6xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "root"}) {
    // CHECK: %[[SUM:.*]] = onnx.ReduceSum
    // CHECK: %[[TOTAL:.*]] = train.batch_total %[[SUM]]
    %sum = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x6xf32>) -> tensor<6xf32>
    // CHECK: onnx.Sqrt %[[TOTAL]]
    %root = onnx.Sqrt %sum : (tensor<6xf32>) -> tensor<6xf32>
    // CHECK: train.full_like %[[TOTAL]], 2.0
    %two = train.full_like %sum, 2.0 : tensor<6xf32>
    %twice = onnx.Mul %root, %two : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %metric = onnx.ReduceSum %twice {keepdims = 0 : i64} : (tensor<6xf32>) -> tensor<f32>
    return %metric : tensor<f32>
  }
}
