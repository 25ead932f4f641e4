// Gradients that attributes name are reduced as marked ones are, once.
// RUN: dist-opt %s --split-input-file --allow-unregistered-dialect --distribute-reduce-gradients | FileCheck %s
// RUN: dist-opt %s --split-input-file --allow-unregistered-dialect --distribute-reduce-gradients --distribute-verify-replication -o /dev/null
// RUN: dist-opt %s --split-input-file --allow-unregistered-dialect --distribute-reduce-gradients -o %t.once.mlir
// RUN: dist-opt %s --split-input-file --allow-unregistered-dialect --distribute-reduce-gradients --distribute-reduce-gradients -o %t.twice.mlir
// RUN: diff %t.once.mlir %t.twice.mlir

// One rank has the program of one device, and its attributes.
// RUN: dist-opt %s --split-input-file --allow-unregistered-dialect --specialize-world=ranks=1 -o %t.plain.mlir
// RUN: dist-opt %s --split-input-file --allow-unregistered-dialect --distribute-reduce-gradients --specialize-world=ranks=1 -o %t.one.mlir
// RUN: diff %t.plain.mlir %t.one.mlir

#w = #train.variable<"w", trainable>
#b = #train.variable<"b", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #b}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    %b = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %b : tensor<4xf32>, tensor<2xf32>
  }
  // The update is written out, in other dialects. The reductions stand together, and the attribute has become marks.
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %b: tensor<2xf32> {train.variable = #b}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #b}, tensor<f32> {train.metric = "loss"}) {
    // CHECK: %[[B:.*]]:3 = "acme.backward"(%{{.*}}) : (
    %loss, %gw, %gb = "acme.backward"(%w, %b, %x) {train.gradient = ["", "w", "b"]}
        : (tensor<4xf32>, tensor<2xf32>, tensor<?x4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<2xf32>)
    // CHECK: %[[RW:.*]] = collective.all_reduce mean %[[B]]#1
    // CHECK: %[[RB:.*]] = collective.all_reduce mean %[[B]]#2
    // CHECK-DAG: %[[MW:.*]] = train.mark_gradient %[[RW]] {train.gradient = "w"}
    // CHECK-DAG: %[[MB:.*]] = train.mark_gradient %[[RB]] {train.gradient = "b"}
    // CHECK: "acme.norm"(%[[MW]], %[[MB]])
    %norm = "acme.norm"(%gw, %gb) : (tensor<4xf32>, tensor<2xf32>) -> tensor<f32>
    // CHECK: "acme.apply"(%{{.*}}, %[[MW]],
    %w1 = "acme.apply"(%w, %gw, %norm) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // CHECK: arith.subf %{{.*}}, %[[MB]]
    %b1 = arith.subf %b, %gb : tensor<2xf32>
    return %w1, %b1, %loss : tensor<4xf32>, tensor<2xf32>, tensor<f32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // A function that takes gradients says so once, for all calls.
  // CHECK: func.func private @descend(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32> {train.gradient})
  func.func private @descend(%w: tensor<4xf32>, %g: tensor<4xf32> {train.gradient}) -> tensor<4xf32> {
    %w1 = arith.subf %w, %g : tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<4xf32> {train.variable = #w}) {
    // CHECK: %[[G:.*]] = arith.mulf
    %g = arith.mulf %w, %x : tensor<4xf32>
    // CHECK: %[[R:.*]] = collective.all_reduce mean %[[G]]
    // CHECK: %[[M:.*]] = train.mark_gradient %[[R]] {train.gradient} : tensor<4xf32>
    // CHECK: call @descend(%{{.*}}, %[[M]])
    %w1 = call @descend(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %w1 : tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program, train.deterministic = ["acme"]} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // A function that returns one: the mark in @step stands for its role.
  // CHECK: func.func private @backward(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: train.gradient
  func.func private @backward(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32> {train.gradient = "w"})
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.output = "sum"}) {
    // CHECK: %[[G:.*]] = call @backward
    %g = call @backward(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[R:.*]] = collective.all_reduce mean %[[G]]
    // CHECK: %[[M:.*]] = train.mark_gradient %[[R]] {train.gradient = "w"}
    // CHECK: arith.subf %{{.*}}, %[[M]]
    %w1 = arith.subf %w, %g : tensor<4xf32>
    %sum = "acme.sum"(%g) : (tensor<4xf32>) -> tensor<f32>
    return %w1, %sum : tensor<4xf32>, tensor<f32>
  }
}

// -----

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // A step that returns its gradients for others to apply, and one that is given gradients.
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[GIVEN:[a-z0-9]+]]: tensor<4xf32>)
  // CHECK-SAME: tensor<4xf32> {train.gradient = "w"}
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %given: tensor<4xf32> {train.gradient = "w"})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.gradient = "w"}) {
    // CHECK: %[[RGIVEN:.*]] = collective.all_reduce mean %[[GIVEN]]
    // CHECK: %[[MGIVEN:.*]] = train.mark_gradient %[[RGIVEN]] {train.gradient = "w"}
    // CHECK: %[[W1:.*]] = arith.subf %{{.*}}, %[[MGIVEN]]
    %w1 = arith.subf %w, %given : tensor<4xf32>
    // CHECK: %[[G:.*]] = arith.mulf
    %g = arith.mulf %w, %x : tensor<4xf32>
    // CHECK: %[[R:.*]] = collective.all_reduce mean %[[G]]
    // CHECK: %[[M:.*]] = train.mark_gradient %[[R]] {train.gradient = "w"}
    // CHECK: return %[[W1]], %[[M]]
    return %w1, %g : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // Named, marked, named again after a decay, and taken by an optimizer: one gradient, one reduction. What the program has
  // reduced itself is not reduced again.
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.gradient = "w"}, tensor<4xf32> {train.gradient}) {
    // CHECK: collective.all_reduce mean
    // CHECK: collective.all_reduce mean
    // CHECK-NOT: collective
    %g = arith.mulf %w, %x {train.gradient = "w"} : tensor<4xf32>
    %m = train.mark_gradient %g : tensor<4xf32>
    %decayed = arith.addf %m, %w : tensor<4xf32>
    %w1 = train.sgd %w gradient %decayed rate %lr : tensor<4xf32>, tensor<f32>
    %own = collective.all_reduce mean %x on @world : tensor<4xf32>
    return %w1, %decayed, %own : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
