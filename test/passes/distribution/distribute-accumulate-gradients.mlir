// Forward and backward run on one micro-batch after the other; what is computed from gradients stays after the loop.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4" --split-input-file | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4 reduction=sum" --split-input-file | FileCheck %s --check-prefixes=CHECK,SUM
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4" --split-input-file --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// One micro-batch is the whole batch: nothing changes.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file -o %t.before
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=1" --split-input-file -o %t.after
// RUN: cmp %t.before %t.after

// REMARK: 1 gradients are accumulated over 4 micro-batches

#w = #train.variable<"w", trainable>
#n = #train.variable<"n", other>
#s = #train.variable<"s", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #n}, tensor<4xf32> {train.variable = #s}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %n = arith.constant dense<0> : tensor<i64>
    return %w, %n, %w : tensor<4xf32>, tensor<i64>, tensor<4xf32>
  }
  // The metric is averaged, the output put together, the running statistic handed on; the counter and the norm of the
  // gradient are computed once.
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[W:.*]]: tensor<4xf32> {{{.*}}}, %[[N:.*]]: tensor<i64> {{{.*}}}, %[[S:.*]]: tensor<4xf32> {{{.*}}}, %[[X:.*]]: tensor<?x4xf32> {{{.*}}}, %[[LR:.*]]: tensor<f32>
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %n: tensor<i64> {train.variable = #n}, %s: tensor<4xf32> {train.variable = #s},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<i64> {train.variable = #n}, tensor<4xf32> {train.variable = #s},
          tensor<f32> {train.metric = "loss"}, tensor<?x4xf32> {train.output = "logits"}, tensor<f32> {train.metric = "norm"}) {
    %one = arith.constant dense<1> : tensor<i64>
    // CHECK: arith.addi %[[N]]
    %n1 = arith.addi %n, %one : tensor<i64>
    // CHECK-DAG: %[[G0:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
    // CHECK-DAG: %[[L0:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
    // CHECK-DAG: %[[Y0:.*]] = train.zero_batch like %[[X]] : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK-DAG: %[[QUARTER:.*]] = arith.constant dense<2.500000e-01> : tensor<f32>
    // CHECK: %[[R:.*]]:4 = scf.for %[[I:.*]] = %c0 to %c4 step %c1 iter_args(%[[Y:.*]] = %[[Y0]], %[[L:.*]] = %[[L0]], %[[G:.*]] = %[[G0]], %[[OLD:.*]] = %[[S]])
    // CHECK-NEXT: %[[PART:.*]] = train.micro_batch %[[I]] of 4 in %[[X]] : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK-NEXT: %[[LOGITS:.*]] = "test.forward"(%[[PART]], %[[W]])
    %logits = "test.forward"(%x, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    // CHECK-NEXT: %[[LOSS:.*]] = "test.loss"(%[[LOGITS]])
    %loss = "test.loss"(%logits) : (tensor<?x4xf32>) -> tensor<f32>
    // CHECK-NEXT: %[[GRADIENT:.*]] = "test.backward"(%[[LOGITS]], %[[W]])
    %g = "test.backward"(%logits, %w) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK-NEXT: %[[NEW:.*]] = "test.statistics"(%[[OLD]], %[[PART]])
    %s1 = "test.statistics"(%s, %x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
    // CHECK-NEXT: %[[Y1:.*]] = train.put_micro_batch %[[LOGITS]] into %[[Y]] at %[[I]] of 4
    // CHECK-NEXT: %[[LPART:.*]] = train.scale %[[LOSS]] by %[[QUARTER]]
    // CHECK-NEXT: %[[L1:.*]] = arith.addf %[[L]], %[[LPART]]
    // MEAN-NEXT: %[[GPART:.*]] = train.scale %[[GRADIENT]] by %[[QUARTER]]
    // MEAN-NEXT: %[[G1:.*]] = arith.addf %[[G]], %[[GPART]]
    // SUM-NEXT: %[[G1:.*]] = arith.addf %[[G]], %[[GRADIENT]]
    // CHECK-NEXT: scf.yield %[[Y1]], %[[L1]], %[[G1]], %[[NEW]]
    // CHECK: %[[NORM:.*]] = "test.norm"(%[[R]]#2)
    %norm = "test.norm"(%g) : (tensor<4xf32>) -> tensor<f32>
    // CHECK: %[[W1:.*]] = train.sgd %[[W]] gradient %[[R]]#2 rate %[[LR]]
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: return %[[W1]], %{{.*}}, %[[R]]#3, %[[R]]#1, %[[R]]#0, %[[NORM]]
    return %w1, %n1, %s1, %loss, %logits, %norm : tensor<4xf32>, tensor<i64>, tensor<4xf32>, tensor<f32>, tensor<?x4xf32>, tensor<f32>
  }
}

// -----

// REMARK: gradient does not depend on the batch and is not accumulated
// REMARK: 2 gradients are accumulated over 4 micro-batches

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#c = #train.variable<"c", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<4xf32> {train.variable = #c}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // An optimizer in the midst of the backward pass moves after the loop; marks and what follows them stay outside.
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[A:.*]]: tensor<4xf32> {{{.*}}}, %[[B:.*]]: tensor<4xf32> {{{.*}}}, %[[C:.*]]: tensor<4xf32> {{{.*}}}, %[[X:.*]]: tensor<?x4xf32> {{{.*}}}, %[[LR:.*]]: tensor<f32>
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b}, %c: tensor<4xf32> {train.variable = #c},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<4xf32> {train.variable = #c}) {
    // CHECK: %[[R:.*]]:2 = scf.for
    // CHECK: %[[GA:.*]] = "test.backward"
    %ga = "test.backward"(%x, %a) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %marked = train.mark_gradient %ga : tensor<4xf32>
    %a1 = train.sgd %a gradient %marked rate %lr : tensor<4xf32>, tensor<f32>
    // The gradient of b is computed from that of a: a gradient on the way to another.
    // CHECK-NEXT: %[[GB:.*]] = "test.further"(%[[GA]], %{{.*}})
    // CHECK-NOT: train.mark_gradient
    // CHECK: scf.yield
    %gb = "test.further"(%ga, %x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
    // CHECK: %[[MA:.*]] = train.mark_gradient %[[R]]#0
    // CHECK-NEXT: train.sgd %[[A]] gradient %[[MA]]
    // CHECK: %[[MB:.*]] = train.mark_gradient %[[R]]#1
    %mb = train.mark_gradient %gb : tensor<4xf32>
    %clipped = "test.clip"(%mb) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: train.sgd %[[B]]
    %b1 = train.sgd %b gradient %clipped rate %lr : tensor<4xf32>, tensor<f32>
    %decay = "test.decay"(%c) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: train.sgd %[[C]]
    %c1 = train.sgd %c gradient %decay rate %lr : tensor<4xf32>, tensor<f32>
    return %a1, %b1, %c1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The gradient of a penalty has no more of the batch than the ones that all gradients begin with: it is computed once.
#w = #train.variable<"w", trainable>
#p = #train.variable<"p", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
// CHECK-LABEL: module @penalty
module @penalty attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #p}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: func.func @step(%{{.*}}: tensor<4xf32> {{.*}}, %[[P:.*]]: tensor<4xf32> {{.*}}, %{{.*}}: tensor<?x4xf32>
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %p: tensor<4xf32> {train.variable = #p},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #p}) {
    // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
    // CHECK: scf.for
    %l = "test.loss"(%x, %w, %p) : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    // CHECK: %[[SEED:.*]] = train.full_like
    %seed = train.full_like %l, 1.0 : tensor<f32>
    // CHECK: "test.backward"(%{{.*}}, %[[SEED]])
    %gw = "test.backward"(%x, %seed) : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
    // CHECK-NOT: test.penalty
    // CHECK: scf.yield
    // CHECK: %[[GP:.*]] = "test.penalty"(%[[ONE]], %[[P]])
    %gp = "test.penalty"(%seed, %p) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %gw rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: train.sgd %[[P]] gradient %[[GP]]
    %p1 = train.sgd %p gradient %gp rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %p1 : tensor<4xf32>, tensor<4xf32>
  }
}
