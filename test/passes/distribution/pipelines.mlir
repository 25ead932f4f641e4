// --distribute as a whole: what it makes, what its keys change, and that one rank gets its program back.
// RUN: dist-opt %s --distribute | FileCheck %s
// RUN: dist-opt %s --distribute="shard=contiguous batch-policy=weighted reduction=sum trainable-only root=1 scale-learning-rate=linear sync-batch-norm=false" | FileCheck %s --check-prefix=KEYS

// On one rank the program is the undistributed one, text for text, whatever was asked for.
// RUN: dist-opt %s -o %t.mlir
// RUN: dist-opt %s --distribute --specialize-world="ranks=1" -o %t.default.mlir
// RUN: diff %t.mlir %t.default.mlir
// RUN: dist-opt %s --distribute="batch-policy=weighted scale-learning-rate=sqrt" --specialize-world="ranks=1" -o %t.weighted.mlir
// RUN: diff %t.mlir %t.weighted.mlir
// RUN: dist-opt %s --distribute="reduction=sum scale-learning-rate=linear trainable-only shard=contiguous" --specialize-world="ranks=1" -o %t.sum.mlir
// RUN: diff %t.mlir %t.sum.mlir

// A program that is distributed is not distributed again; wrong keys are refused.
// RUN: not dist-opt %s --distribute --distribute 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not dist-opt %s --distribute="batch-policy=ignore" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not dist-opt %s --distribute="batchpolicy=drop" 2>&1 | FileCheck %s --check-prefix=KEY
// TWICE: error: the program is distributed already: @data is sharded
// VALUE: error: batch-policy=ignore must be error, drop, pad or weighted
// KEY: error: --distribute has no key 'batchpolicy'; did you mean batch-policy? (keys: reduction, 

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.velocity", state>
#count = #train.variable<"count", other>
module attributes {train.program} {
  // CHECK: collective.group @world{{$}}
  // CHECK: train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  // KEYS: train.dataset @data {global_batch = 64 : i64, shard = #train.shard<contiguous, weighted, @world>}
  train.dataset @data {global_batch = 64 : i64}
  // CHECK-LABEL: func.func @initialize
  // KEYS-LABEL: func.func @initialize
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<i64> {train.variable = #count}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<4xf32>
    %n = arith.constant dense<0> : tensor<i64>
    // CHECK: collective.broadcast %{{.*}}, %{{.*}} from 0 on @world : tensor<4xf32>, tensor<4xf32>
    // CHECK: collective.broadcast %{{.*}} from 0 on @world : tensor<i64>
    // KEYS: collective.broadcast %{{.*}} from 1 on @world : tensor<4xf32>
    // KEYS-NOT: broadcast
    return %w, %v, %n : tensor<4xf32>, tensor<4xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  // KEYS-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %n: tensor<i64> {train.variable = #count},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<i64> {train.variable = #count}, tensor<f32> {train.metric = "loss"}) {
    // KEYS: %[[RATE:.*]] = train.scale
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    // CHECK: %[[G:.*]] = linalg.reduce
    %g = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [0]
    %none = arith.constant dense<0.0> : tensor<f32>
    // CHECK: %[[LOSS:.*]] = linalg.reduce
    %loss = linalg.reduce { arith.addf } ins(%g : tensor<4xf32>) outs(%none : tensor<f32>) dimensions = [0]
    // CHECK: %[[R:.*]]:2 = collective.all_reduce mean %[[G]], %[[LOSS]] on @world : tensor<4xf32>, tensor<f32>
    // CHECK: train.momentum %{{.*}} gradient %[[R]]#0
    // KEYS: %[[R:.*]] = collective.all_reduce sum
    // KEYS: train.momentum %{{.*}} gradient %[[R]] velocity %{{.*}} rate %[[RATE]]
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    %one = arith.constant dense<1> : tensor<i64>
    %n1 = arith.addi %n, %one : tensor<i64>
    // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %[[R]]#1
    return %w1, %v1, %n1, %loss : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
  }
}
