// What @evaluate returns of a cross entropy: values sample after sample, and how much each counts.
// RUN: split-file %s %t
// RUN: dist-opt %t/tokens.mlir --train-apply-recipe="loss=output" | FileCheck %t/tokens.mlir
// RUN: dist-opt %t/places.mlir --train-apply-recipe="loss=output" | FileCheck %t/places.mlir
// RUN: dist-opt %t/weights.mlir --train-apply-recipe="loss=output" | FileCheck %t/weights.mlir
// RUN: dist-opt %t/mixed.mlir --train-apply-recipe="loss=output" --remarks=text 2>&1 | FileCheck %t/mixed.mlir
// RUN: dist-opt %t/ignored-places.mlir --train-apply-recipe="loss=output" | FileCheck %t/ignored-places.mlir
// RUN: dist-opt %t/sum.mlir --train-apply-recipe="loss=output" | FileCheck %t/sum.mlir
// RUN: dist-opt %t/roles.mlir --train-apply-recipe="loss=output" --remarks=text 2>&1 | FileCheck %t/roles.mlir
// RUN: dist-opt %t/sums.mlir --train-apply-recipe="loss=output" --remarks=text 2>&1 | FileCheck %t/sums.mlir
// RUN: dist-opt %t/maximum.mlir --train-apply-recipe="loss=output" --remarks=text 2>&1 | FileCheck %t/maximum.mlir
// RUN: dist-opt %t/joined.mlir --train-apply-recipe="loss=output" --remarks=text 2>&1 | FileCheck %t/joined.mlir
// RUN: dist-opt %t/added.mlir --train-apply-recipe="loss=nll" --remarks=text 2>&1 | FileCheck %t/added.mlir
// RUN: dist-opt %t/other.mlir --train-apply-recipe="loss=output" --remarks=text 2>&1 | FileCheck %t/other.mlir

//--- tokens.mlir
// A model of text: the labels of a sample are shifted, masked and brought into one row with those of others. What is ignored does not count.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<?x7xf32> {train.metric = "loss"}, tensor<?x7xf32> {train.metric = "accuracy"}, tensor<?x7xf32> {train.exponential_metric = "perplexity"}, tensor<?x7xf32> {train.metric_weight = ["accuracy", "loss", "perplexity"]})
// CHECK: %[[ROWS:.+]] = onnx.Reshape {{.*}} -> tensor<?x5xf32>
// CHECK: %[[LABELS:.+]] = onnx.Reshape {{.*}} -> tensor<?xi64>
// CHECK-NOT: reduction = "mean"
// CHECK: %[[IGNORED:.+]] = onnx.Equal %[[LABELS]], %{{.+}} : (tensor<?xi64>, tensor<i64>)
// CHECK: %[[COUNTED:.+]] = onnx.Not %[[IGNORED]]
// CHECK: %[[LOSSES:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss %[[ROWS]], %[[LABELS]] {ignore_index = -100 : i64, reduction = "none"}
// CHECK: %[[LOSS:.+]] = onnx.Reshape %[[LOSSES]] {shape = array<i64: -1, 7>}
// CHECK: %[[RIGHT:.+]] = train.accuracy %[[ROWS]], %[[LABELS]]
// CHECK: %[[ACCURACY:.+]] = onnx.Reshape %[[RIGHT]] {shape = array<i64: -1, 7>}
// CHECK: %[[ONES:.+]] = onnx.Cast %[[COUNTED]] {to = f32}
// CHECK: %[[WEIGHT:.+]] = onnx.Reshape %[[ONES]] {shape = array<i64: -1, 7>}
// CHECK: return %[[LOSS]], %[[ACCURACY]], %[[LOSS]], %[[WEIGHT]]
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<5x5xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<5x5xf32>
    return %0 : tensor<5x5xf32>
  }
  func.func @forward(%w: tensor<5x5xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x7x5xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?x8xi32> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.MatMul %x, %w : (tensor<?x7x5xf32>, tensor<5x5xf32>) -> tensor<?x7x5xf32>
    %rows = onnx.Reshape %y {shape = array<i64: -1, 5>} : (tensor<?x7x5xf32>) -> tensor<?x5xf32>
    %wide = onnx.Cast %t {to = i64} : (tensor<?x8xi32>) -> tensor<?x8xi64>
    %next = onnx.Slice %wide {axes = array<i64: 1>, starts = array<i64: 1>, ends = array<i64: 8>} : (tensor<?x8xi64>) -> tensor<?x7xi64>
    %zero = onnx.Constant dense<0> : tensor<i64>
    %ignore = onnx.Constant dense<-100> : tensor<i64>
    %padding = onnx.Equal %next, %zero : (tensor<?x7xi64>, tensor<i64>) -> tensor<?x7xi1>
    %masked = onnx.Where %padding, %ignore, %next : (tensor<?x7xi1>, tensor<i64>, tensor<?x7xi64>) -> tensor<?x7xi64>
    %labels = onnx.Reshape %masked {shape = array<i64: -1>} : (tensor<?x7xi64>) -> tensor<?xi64>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %rows, %labels {ignore_index = -100 : i64} : (tensor<?x5xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x5xf32>)
    return %loss : tensor<f32>
  }
}

//--- places.mlir
// Scores of [batch, classes, places], as of images whose pixels are classified: nothing is ignored, so all count alike.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<?x24xf32> {train.metric = "loss"}, tensor<?x24xf32> {train.metric = "accuracy"}, tensor<?x24xf32> {train.exponential_metric = "perplexity"})
// CHECK: %[[OFPLACES:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss %[[X:.+]], %[[T:.+]] {reduction = "none"} : (tensor<?x3x6x4xf32>, tensor<?x6x4xi64>) -> (tensor<?x6x4xf32>, tensor<?x3x6x4xf32>)
// CHECK: %[[LOSSES:.+]] = onnx.Reshape %[[OFPLACES]] {shape = array<i64: -1, 24>}
// CHECK: %[[LAST:.+]] = onnx.Transpose %[[X]] {perm = array<i64: 0, 2, 3, 1>}
// CHECK: %[[ROWS:.+]] = onnx.Reshape %[[LAST]] {shape = array<i64: -1, 3>}
// CHECK: %[[LABELS:.+]] = onnx.Reshape %[[T]] {shape = array<i64: -1>}
// CHECK: %[[RIGHT:.+]] = train.accuracy %[[ROWS]], %[[LABELS]]
// CHECK: %[[ACCURACY:.+]] = onnx.Reshape %[[RIGHT]] {shape = array<i64: -1, 24>}
// CHECK: return %[[LOSSES]], %[[ACCURACY]], %[[LOSSES]]
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3x6x4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3x6x4xf32>
    return %0 : tensor<3x6x4xf32>
  }
  func.func @forward(%w: tensor<3x6x4xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3x6x4xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?x6x4xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3x6x4xf32>, tensor<3x6x4xf32>) -> tensor<?x3x6x4xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %y, %t : (tensor<?x3x6x4xf32>, tensor<?x6x4xi64>) -> (tensor<f32>, tensor<?x3x6x4xf32>)
    return %loss : tensor<f32>
  }
}

//--- weights.mlir
// A label's class says how much it counts in the loss, not in the accuracy. A sample has one label: there is no perplexity.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<?xf32> {train.metric = "loss"}, tensor<?xf32> {train.metric = "accuracy"}, tensor<?xf32> {train.metric_weight = ["loss"]}, tensor<?xf32> {train.metric_weight = ["accuracy"]})
// CHECK: %[[COUNTED:.+]] = onnx.Not
// CHECK: %[[SAFE:.+]] = onnx.Where %[[COUNTED]], %[[T:[a-z0-9]+]], %
// CHECK: %[[OF:.+]] = onnx.Gather %[[C:[a-z0-9_]+]], %[[SAFE]] : (tensor<3xf32>, tensor<?xi64>) -> tensor<?xf32>
// CHECK: %[[WEIGHT:.+]] = onnx.Mul
// CHECK: %[[LOSSES:.+]], %{{.+}} = onnx.SoftmaxCrossEntropyLoss %{{[a-z0-9]+}}, %[[T]] {ignore_index = 0 : i64, reduction = "none"} : (tensor<?x3xf32>, tensor<?xi64>)
// CHECK: return %[[LOSSES]], %{{.+}}, %[[WEIGHT]], %{{.+}} :
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %c = onnx.Constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %y, %t, %c {ignore_index = 0 : i64} : (tensor<?x3xf32>, tensor<?xi64>, tensor<3xf32>) -> (tensor<f32>, tensor<?x3xf32>)
    return %loss : tensor<f32>
  }
}

//--- mixed.mlir
// The labels of samples stand between each other: the mean over all is that of the batch, as of any sum of what samples add.
// CHECK-NOT: takes whole global batches
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.batch_mean = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x2x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?x2xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %a = onnx.Transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<?x2x3xf32>) -> tensor<2x?x3xf32>
    %r = onnx.Reshape %a {shape = array<i64: -1, 3>} : (tensor<2x?x3xf32>) -> tensor<?x3xf32>
    %y = onnx.Mul %r, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %b = onnx.Transpose %t {perm = array<i64: 1, 0>} : (tensor<?x2xi64>) -> tensor<2x?xi64>
    %l = onnx.Reshape %b {shape = array<i64: -1>} : (tensor<2x?xi64>) -> tensor<?xi64>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %y, %l : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
    return %loss : tensor<f32>
  }
}

//--- ignored-places.mlir
// Where places are ignored the weights of losses and accuracies have their one shape.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<?x24xf32> {train.metric = "loss"}, tensor<?x24xf32> {train.metric = "accuracy"}, tensor<?x24xf32> {train.exponential_metric = "perplexity"}, tensor<?x24xf32> {train.metric_weight = ["accuracy", "loss", "perplexity"]})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3x6x4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3x6x4xf32>
    return %0 : tensor<3x6x4xf32>
  }
  func.func @forward(%w: tensor<3x6x4xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3x6x4xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?x6x4xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3x6x4xf32>, tensor<3x6x4xf32>) -> tensor<?x3x6x4xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %y, %t {ignore_index = 2 : i64} : (tensor<?x3x6x4xf32>, tensor<?x6x4xi64>) -> (tensor<f32>, tensor<?x3x6x4xf32>)
    return %loss : tensor<f32>
  }
}

//--- sum.mlir
// A sum is reported as one: the accuracy is a mean.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<?xf32> {train.sum_metric = "loss"}, tensor<?xf32> {train.metric = "accuracy"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %y, %t {reduction = "sum"} : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
    return %loss : tensor<f32>
  }
}

//--- other.mlir
// A root of a mean is no mean of roots: it is evaluated on whole batches.
// CHECK: remark{{.*}}@evaluate takes whole global batches: 'onnx.Sqrt' makes of several samples what is no sum, mean, maximum or minimum of theirs
// CHECK-LABEL: func.func @step
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.whole_batch_metric = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %mean, %p = onnx.SoftmaxCrossEntropyLoss %y, %t : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
    %loss = onnx.Sqrt %mean : (tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- roles.mlir
// A sum of squares and a penalty of the weights: sums stay sums, means may have something added that is the same for all samples.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.batch_mean = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %squares = onnx.Mul %y, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %columns = onnx.ReduceMean %squares {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<3xf32>
    %penalty = onnx.Mul %w, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %both = onnx.Add %columns, %penalty : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %loss = onnx.ReduceSum %both {keepdims = 0 : i64} : (tensor<3xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- sums.mlir
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.batch_sum = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %half = onnx.Constant dense<5.000000e-01> : tensor<f32>
    %sum = onnx.ReduceSum %y {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    %loss = onnx.Mul %sum, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- maximum.mlir
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.batch_max = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %loss = onnx.ReduceMax %y {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- joined.mlir
// Scores that depend on other samples: the loss of a sample is nothing by itself.
// CHECK: remark{{.*}}@evaluate takes whole global batches: 'onnx.Softmax' makes of several samples
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.whole_batch_metric = "loss"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>},
                     %t: tensor<?xi64> {train.input = #train.input<"t", @data>})
      -> (tensor<f32> {train.metric = "cost"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %z = onnx.Softmax %y {axis = 0 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %loss, %p = onnx.SoftmaxCrossEntropyLoss %z, %t : (tensor<?x3xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x3xf32>)
    return %loss : tensor<f32>
  }
}

//--- added.mlir
// A loss that the recipe adds to such scores, with the accuracy of each sample beside the others of its batch.
// CHECK: remark{{.*}}@evaluate takes whole global batches: 'onnx.Softmax' makes of several samples
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.whole_batch_metric = "loss"}, tensor<?xf32> {train.metric = "accuracy"})
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @forward(%w: tensor<3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x3xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x3xf32> {train.output = "y"}) {
    %y = onnx.Mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %z = onnx.Softmax %y {axis = 0 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %z : tensor<?x3xf32>
  }
}
