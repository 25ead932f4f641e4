// What is seldom meant on many ranks is said, with the node's name; what is right is not.
// RUN: dist-opt %s --split-input-file --distribute-lint --remarks -o %t.mlir 2>&1 | FileCheck %s
// RUN: not dist-opt %s --split-input-file --distribute-lint="errors=true" -o %t.errors.mlir 2>&1 | FileCheck %s --check-prefix=ERROR

// Without remarks nothing is said, and nothing is ever changed.
// RUN: dist-opt %s --split-input-file --distribute-lint -o %t.lint.mlir 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: {{.}}
// RUN: dist-opt %s --split-input-file -o %t.plain.mlir
// RUN: cmp %t.plain.mlir %t.lint.mlir

// Right as it is: reduced statistics, a plain mean, a uniform clip after the reduction, noise of the run's own seed.
// CHECK-NOT: remark:
// ERROR-NOT: error:
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #train.variable<"right", trainable>}) {
    %w = onnx.RandomNormal {shape = array<i64: 4, 4>, seed = 1.0 : f32} : tensor<4x4xf32>
    %same = collective.broadcast %w from 0 on @world : tensor<4x4xf32>
    return %same : tensor<4x4xf32>
  }
  func.func @step(%w: tensor<4x4xf32> {train.variable = #train.variable<"right", trainable>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<?xi64> {train.input = #train.input<"y", @data>},
                  %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0>})
      -> (tensor<4x4xf32> {train.variable = #train.variable<"right", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %loss, %log = onnx.SoftmaxCrossEntropyLoss %x, %y : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x4xf32>)
    %local = onnx.Gemm %x, %x {transA = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
    %weight = train.batch_weight @data : tensor<f32>
    %part = train.scale %local by %weight : tensor<4x4xf32>, tensor<f32>
    %g = collective.all_reduce sum %part on @world : tensor<4x4xf32>
    %norm = onnx.ReduceSum %g {keepdims = 0 : i64} : (tensor<4x4xf32>) -> tensor<f32>
    %clipped = onnx.Div %g, %norm : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %next = train.sgd %w gradient %clipped rate %rate : tensor<4x4xf32>, tensor<f32>
    return %next, %loss : tensor<4x4xf32>, tensor<f32>
  }
}

// -----

// CHECK: remark: weighted: each rank divides by the weights of its own labels, {{.*}}; lint: local-count [distribute-lint, analysis]
// CHECK-NEXT: remark: ignoring: each rank divides by the number of its own labels that count{{.*}}; lint: local-count
// CHECK-NEXT: remark: mean_of_valid: each rank divides by a number of its own{{.*}}; lint: local-count
// CHECK-NEXT: remark: noise: its seed is fixed{{.*}}; lint: equal-seed
// CHECK-NEXT: remark: draw: all ranks draw the same{{.*}}; lint: equal-seed
// CHECK-NEXT: remark: clip: is scaled by a number of the rank's own before it is reduced{{.*}}; lint: norm-before-reduce
// CHECK-NEXT: remark: {{.*}}variable "idle" is trainable, but nothing updates it; freeze it if that is meant; lint: no-gradient
// CHECK-NEXT: remark: {{.*}}variable "unreached" is updated, but no gradient reaches it{{.*}}; lint: no-gradient
// CHECK-NOT: remark:
// ERROR: error: {{.*}}each rank divides by the weights of its own labels{{.*}} [local-count]
// ERROR: error: {{.*}}each rank divides by the number of its own labels
// ERROR: error: {{.*}}each rank divides by a number of its own
// ERROR: error: {{.*}}its seed is fixed{{.*}} [equal-seed]
// ERROR: error: {{.*}}all ranks draw the same{{.*}} [equal-seed]
// ERROR: error: {{.*}}is scaled by a number of the rank's own{{.*}} [norm-before-reduce]
// ERROR: error: {{.*}}variable "idle" is trainable{{.*}} [no-gradient]
// ERROR: error: {{.*}}variable "unreached" is updated
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #train.variable<"clipped", trainable>},
                              tensor<4x4xf32> {train.variable = #train.variable<"idle", trainable>},
                              tensor<4x4xf32> {train.variable = #train.variable<"unreached", trainable>}) {
    %w = arith.constant dense<1.0> : tensor<4x4xf32>
    return %w, %w, %w : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @step(%w: tensor<4x4xf32> {train.variable = #train.variable<"clipped", trainable>},
                  %idle: tensor<4x4xf32> {train.variable = #train.variable<"idle", trainable>},
                  %unreached: tensor<4x4xf32> {train.variable = #train.variable<"unreached", trainable>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<?xi64> {train.input = #train.input<"y", @data>},
                  %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0>})
      -> (tensor<4x4xf32> {train.variable = #train.variable<"clipped", trainable>},
          tensor<4x4xf32> {train.variable = #train.variable<"idle", trainable>},
          tensor<4x4xf32> {train.variable = #train.variable<"unreached", trainable>},
          tensor<f32> {train.metric = "a"}, tensor<f32> {train.metric = "b"}, tensor<f32> {train.metric = "c"}) {
    %weights = arith.constant dense<2.0> : tensor<4xf32>
    %a, %log_a = onnx.SoftmaxCrossEntropyLoss %x, %y, %weights : (tensor<?x4xf32>, tensor<?xi64>, tensor<4xf32>) -> (tensor<f32>, tensor<?x4xf32>) loc("weighted")
    %b, %log_b = onnx.SoftmaxCrossEntropyLoss %x, %y {ignore_index = 3 : i64} : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x4xf32>) loc("ignoring")
    %sum = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %count = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %c = onnx.Div %sum, %count : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("mean_of_valid")
    %noise = onnx.RandomNormal {shape = array<i64: 4>, seed = 1.0 : f32} : tensor<4xf32> loc("noise")
    %noisy = onnx.Add %x, %noise : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %draw = arith.negf %idle {train.random = #train.random<replicate>} : tensor<4x4xf32> loc("draw")
    %drawn = onnx.MatMul %noisy, %draw : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %local = onnx.Gemm %noisy, %noisy {transA = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
    %clipped = onnx.Mul %local, %count : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32> loc("clip")
    %g = collective.all_reduce mean %clipped on @world : tensor<4x4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4x4xf32>, tensor<f32>
    %zero = train.full_like %unreached, 0.0 : tensor<4x4xf32>
    %kept = train.sgd %unreached gradient %zero rate %rate : tensor<4x4xf32>, tensor<f32>
    return %next, %idle, %kept, %a, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
