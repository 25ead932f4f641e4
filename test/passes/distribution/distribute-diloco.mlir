// Each rank trains on its own; every second step the outer optimizer moves what the ranks share.
// RUN: dist-opt %s --distribute-diloco="every=2 outer-rate=0.5 outer-momentum=0.25" | FileCheck %s --check-prefixes=CHECK,OUTER
// RUN: dist-opt %s --distribute-diloco="every=2 outer-rate=0.5 outer-momentum=0" | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: dist-opt %s --distribute-diloco="every=2 outer-rate=1 outer-momentum=0" | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-diloco="every=2 outer-rate=0.5" --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Nobody waits for ever, and what is replicated stays so.
// RUN: dist-opt %s --distribute-diloco="every=2" --distribute-verify-replication --collective-verify-order -o /dev/null

// REMARK: an outer step of 1 variables is taken every 2 steps

#w = #train.variable<"w", trainable>
#f = #train.variable<"frozen", trainable>
#r = #train.variable<"running", other>
#v = #train.variable<"w.momentum", state>
#n = #train.variable<"step", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // The start begins as the variable does; what is not trained has none.
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: "w", trainable, per_rank>
  // CHECK-SAME: "frozen", trainable>
  // CHECK-SAME: "running", other, per_rank>
  // CHECK-SAME: "w.momentum", state, per_rank>
  // OUTER-SAME: "w.diloco_start", state>
  // OUTER-SAME: "w.diloco_velocity", state>
  // PLAIN-SAME: "w.diloco_start", state>
  // PLAIN-NOT: diloco_velocity
  // MEAN-NOT: diloco
  // OUTER: %[[FIRST:.*]]:4 = collective.broadcast
  // OUTER: return %[[FIRST]]#0, %[[FIRST]]#1, %[[FIRST]]#2, %[[FIRST]]#3, %{{[^,]*}}, %[[FIRST]]#0, %{{[^,]*}} :
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #f}, tensor<4xf32> {train.variable = #r},
                              tensor<4xf32> {train.variable = #v}, tensor<i64> {train.variable = #n}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<4xf32>
    %n = arith.constant dense<0> : tensor<i64>
    %0:4 = collective.broadcast %w, %w, %v, %v from 0 on @world : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    return %0#0, %0#1, %0#2, %0#3, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  // OUTER-SAME: %[[START:[a-z0-9]*]]: tensor<4xf32> {train.variable = #train.variable<"w.diloco_start", state>}
  // OUTER-SAME: %[[VELOCITY:[a-z0-9]*]]: tensor<4xf32> {train.variable = #train.variable<"w.diloco_velocity", state>}
  // PLAIN-SAME: %[[START:[a-z0-9]*]]: tensor<4xf32> {train.variable = #train.variable<"w.diloco_start", state>}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %f: tensor<4xf32> {train.variable = #f}, %r: tensor<4xf32> {train.variable = #r},
                  %v: tensor<4xf32> {train.variable = #v}, %n: tensor<i64> {train.variable = #n},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #f}, tensor<4xf32> {train.variable = #r},
          tensor<4xf32> {train.variable = #v}, tensor<i64> {train.variable = #n}) {
    %one = arith.constant dense<1> : tensor<i64>
    // CHECK: %[[N1:.*]] = arith.addi
    %n1 = arith.addi %n, %one : tensor<i64>
    // CHECK: %[[G:.*]] = onnx.ReduceSum
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    // CHECK: %[[NEW:.*]], %[[INNER:.*]] = train.momentum
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    // CHECK: %[[DUE:.*]] = arith.cmpi eq

    // OUTER: %[[NEXT:.*]]:4 = scf.if %[[DUE]]
    // OUTER-NEXT: %[[MOVED:.*]] = arith.subf %[[START]], %[[NEW]] : tensor<4xf32>
    // OUTER-NEXT: %[[MEANS:.*]]:2 = collective.all_reduce mean %[[G]], %[[MOVED]] on @world
    // OUTER: arith.constant dense<2.500000e-01>
    // OUTER-NEXT: %[[SLOWER:.*]] = train.scale %[[VELOCITY]]
    // OUTER-NEXT: %[[FAST:.*]] = arith.addf %[[SLOWER]], %[[MEANS]]#1
    // OUTER: %[[AHEAD:.*]] = train.scale %[[FAST]]
    // OUTER-NEXT: %[[DIRECTION:.*]] = arith.addf %[[MEANS]]#1, %[[AHEAD]]
    // OUTER: arith.constant dense<5.000000e-01>
    // OUTER-NEXT: %[[WAY:.*]] = train.scale %[[DIRECTION]]
    // OUTER-NEXT: %[[THERE:.*]] = arith.subf %[[START]], %[[WAY]]
    // OUTER-NEXT: scf.yield %[[MEANS]]#0, %[[THERE]], %[[THERE]], %[[FAST]]
    // OUTER-NEXT: } else {
    // OUTER-NEXT: scf.yield %[[G]], %[[NEW]], %[[START]], %[[VELOCITY]]
    // OUTER: return %[[NEXT]]#1, %{{[a-z0-9]*}}, %[[NEXT]]#0, %[[INNER]], %[[N1]], %[[NEXT]]#2, %[[NEXT]]#3

    // PLAIN: %[[NEXT:.*]]:3 = scf.if %[[DUE]]
    // PLAIN-NEXT: arith.subf %[[START]], %[[NEW]] : tensor<4xf32>
    // PLAIN-NEXT: %[[MEANS:.*]]:2 = collective.all_reduce mean
    // PLAIN: %[[WAY:.*]] = train.scale %[[MEANS]]#1
    // PLAIN-NEXT: %[[THERE:.*]] = arith.subf %[[START]], %[[WAY]]
    // PLAIN-NEXT: scf.yield %[[MEANS]]#0, %[[THERE]], %[[THERE]]

    // MEAN: scf.if %[[DUE]]
    // MEAN-NEXT: collective.all_reduce mean %[[NEW]], %[[G]] on @world
    return %w1, %f, %g, %v1, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>
  }
}
