// Each rank trains on its own; every fourth step the variables become their mean.
// RUN: dist-opt %s --distribute-local-sgd="every=4" --split-input-file | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: dist-opt %s --distribute-local-sgd="every=1" --split-input-file | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: dist-opt %s --distribute-local-sgd="every=4 average-states=true" --split-input-file | FileCheck %s --check-prefixes=STATES
// RUN: dist-opt %s --distribute-local-sgd="every=4" --split-input-file --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Nobody waits for ever, and what is replicated stays so.
// RUN: dist-opt %s --distribute-local-sgd="every=4" --distribute-verify-replication --collective-verify-order --split-input-file -o /dev/null

// REMARK: 1 of 2 variables of which each rank has its own are averaged every 4 steps

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.momentum", state>
#n = #train.variable<"step", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // The counter stays replicated.
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: "w", trainable, per_rank>
  // CHECK-SAME: "w.momentum", state, per_rank>
  // CHECK-SAME: "step", other>
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<i64> {train.variable = #n}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<4xf32>
    %n = arith.constant dense<0> : tensor<i64>
    %0:2 = collective.broadcast %w, %v from 0 on @world : tensor<4xf32>, tensor<4xf32>
    %1 = collective.broadcast %n from 0 on @world : tensor<i64>
    return %0#0, %0#1, %1 : tensor<4xf32>, tensor<4xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[W:.*]]: tensor<4xf32> {train.variable = #train.variable<"w", trainable, per_rank>}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<4xf32> {train.variable = #v}, %n: tensor<i64> {train.variable = #n},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #v}, tensor<i64> {train.variable = #n}) {
    // CHECK: %[[N1:.*]] = arith.addi
    %one = arith.constant dense<1> : tensor<i64>
    %n1 = arith.addi %n, %one : tensor<i64>
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    // CHECK: %[[NEW:.*]], %[[VELOCITY:.*]] = train.momentum
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    // ONE: %[[MEAN:.*]] = collective.all_reduce mean %[[NEW]] on @world : tensor<4xf32>
    // FOUR: %[[NUMBER:.*]] = tensor.extract %[[N1]][] : tensor<i64>
    // FOUR: %[[REST:.*]] = arith.remsi %[[NUMBER]], %c4_i64 : i64
    // FOUR: %[[DUE:.*]] = arith.cmpi eq, %[[REST]], %c0_i64 : i64
    // FOUR: %[[MEAN:.*]] = scf.if %[[DUE]] -> (tensor<4xf32>) {
    // FOUR-NEXT: %[[R:.*]] = collective.all_reduce mean %[[NEW]] on @world : tensor<4xf32>
    // FOUR-NEXT: scf.yield %[[R]]
    // FOUR-NEXT: } else {
    // FOUR-NEXT: scf.yield %[[NEW]]
    // CHECK: return %[[MEAN]], %[[VELOCITY]], %[[N1]]
    // STATES: %[[MEANS:.*]]:2 = scf.if
    // STATES: collective.all_reduce mean %{{.*}}, %{{.*}} on @world : tensor<4xf32>, tensor<4xf32>
    // STATES: return %[[MEANS]]#0, %[[MEANS]]#1
    return %w1, %v1, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<i64>
  }
}

// -----

// A program without a counter gets one. Means are weighted by the parts of the batch; @evaluate takes the rank's own.

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 3 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world, ranks = 3>}
  // CHECK-LABEL: func.func @initialize
  // FOUR-SAME: #train.variable<"local_sgd.step", other>
  // ONE-NOT: local_sgd.step
  // FOUR: %[[ZERO:.*]] = arith.constant dense<0> : tensor<i64>
  // FOUR: return %{{.*}}, %[[ZERO]] : tensor<4xf32>, tensor<i64>
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %0 = collective.broadcast %w from 0 on @world : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // FOUR-SAME: %[[COUNT:[a-z0-9]*]]: tensor<i64> {train.variable = #train.variable<"local_sgd.step", other>}, %{{.*}}: tensor<?x4xf32> {train.input
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // FOUR: %[[NEXT:.*]] = arith.addi %[[COUNT]], %{{.*}} : tensor<i64>
    // FOUR: scf.if
    // CHECK: train.batch_weight @data
    // CHECK: collective.all_reduce sum
    // FOUR: return %{{.*}}, %[[NEXT]], %{{.*}} : tensor<4xf32>, tensor<i64>, tensor<f32>
    return %w1, %lr : tensor<4xf32>, tensor<f32>
  }
  // CHECK-LABEL: func.func @evaluate
  // CHECK-SAME: "w", trainable, per_rank>
  func.func @evaluate(%w: tensor<4xf32> {train.variable = #w}) {
    return
  }
}
