// Stage 3: ranks keep parts of variables, and gather each before its first forward and before its first backward use.
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=3" | FileCheck %s
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=3" --cse --canonicalize | FileCheck %s --check-prefix=APART
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=3" --distribute-verify-replication -o /dev/null
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="stage=3" --remarks-filter=distribute-shard-optimizer --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: the optimizer of variable "a" is sharded: 2 of 8 elements of the variable and 0 states on each of 4 ranks
// REMARK-DAG: the optimizer of variable "b" is sharded: 2 of 7 elements of the variable and 1 state on each of 4 ranks
// REMARK-DAG: the optimizer of variable "s" is not sharded: the variable is a scalar

// Two gathers of one variable are never one.
// APART-LABEL: func.func @step
// APART-COUNT-3: collective.all_gather
// APART-NOT: collective.all_gather
// APART: return

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#v = #train.variable<"b.v", state>
#s = #train.variable<"s", trainable>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: tensor<2xf32> {train.variable = #train.variable<"a", trainable, shard<8>>}, tensor<2xf32> {train.variable = #train.variable<"b", trainable, shard<7>>}, tensor<2xf32> {train.variable = #train.variable<"b.v", state, shard<7>>}, tensor<f32> {train.variable = #train.variable<"s", trainable>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #a}, tensor<7xf32> {train.variable = #b}, tensor<7xf32> {train.variable = #v}, tensor<f32> {train.variable = #s}) {
    %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
    %b = arith.constant dense<1.0> : tensor<7xf32>
    %s = arith.constant dense<1.0> : tensor<f32>
    // CHECK: tensor.extract_slice %{{.*}} [2] [1] : tensor<8xf32> to tensor<2xf32>
    return %a, %b, %b, %s : tensor<8xf32>, tensor<7xf32>, tensor<7xf32>, tensor<f32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<2xf32> {train.variable = #train.variable<"a", trainable, shard<8>>}
  // CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<2xf32> {train.variable = #train.variable<"b", trainable, shard<7>>}
  // CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<2xf32> {train.variable = #train.variable<"b.v", state, shard<7>>}
  func.func @step(%a: tensor<8xf32> {train.variable = #a}, %b: tensor<7xf32> {train.variable = #b}, %v: tensor<7xf32> {train.variable = #v}, %s: tensor<f32> {train.variable = #s},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>}, %y: tensor<7xf32> {train.input = #train.input<"y", @data>},
                  %z: tensor<f32> {train.input = #train.input<"z", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #a}, tensor<7xf32> {train.variable = #b}, tensor<7xf32> {train.variable = #v}, tensor<f32> {train.variable = #s}, tensor<7xf32> {train.output = "o"}) {
    // CHECK: %[[A0:.*]] = collective.all_gather %[[A]] along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<8xf32>
    // CHECK: %[[H:.*]] = arith.mulf %[[A0]], %{{.*}} : tensor<8xf32>
    %h = arith.mulf %a, %x : tensor<8xf32>
    %part = tensor.extract_slice %h[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
    // What only moves a variable's elements is computed anew after each gather.
    // CHECK: %[[ROW:.*]] = collective.all_gather %[[B]] along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<8xf32>
    // CHECK: %[[B0:.*]] = collective.unflatten %[[ROW]] : tensor<8xf32> -> tensor<7xf32>
    // CHECK: %[[N0:.*]] = arith.negf %[[B0]]
    // CHECK: arith.mulf %{{.*}}, %[[N0]]
    %n = arith.negf %b : tensor<7xf32>
    %o = arith.mulf %part, %n : tensor<7xf32>
    // Backward: o is what all of it starts from, and nothing of it is returned.
    // CHECK: %[[GB:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<7xf32>
    // CHECK: %[[GROW:.*]] = collective.flatten %[[GB]]
    // CHECK: %[[GBP:.*]] = collective.reduce_scatter mean %[[GROW]] along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %gb = arith.mulf %o, %part : tensor<7xf32>
    // CHECK: %[[ROW1:.*]] = collective.all_gather %[[B]] along 0 on @world {collective.regather = 1 : i64}
    // CHECK: %[[B1:.*]] = collective.unflatten %[[ROW1]]
    // CHECK: %[[N1:.*]] = arith.negf %[[B1]]
    // CHECK: arith.mulf %{{.*}}, %[[N1]]
    %gh = arith.mulf %o, %n : tensor<7xf32>
    // CHECK: %[[GA:.*]] = tensor.pad
    // CHECK: %[[GAP:.*]] = collective.reduce_scatter mean %[[GA]] along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %zero = arith.constant 0.0 : f32
    %ga = tensor.pad %gh low[0] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<7xf32> to tensor<8xf32>
    %r:3 = collective.all_reduce mean %ga, %gb, %z on @world : tensor<8xf32>, tensor<7xf32>, tensor<f32>
    // CHECK: %[[A2:.*]] = train.sgd %[[A]] gradient %[[GAP]]
    %a1 = train.sgd %a gradient %r#0 rate %lr : tensor<8xf32>, tensor<f32>
    // CHECK: %[[B2:.*]], %[[V2:.*]] = train.momentum %[[B]] gradient %[[GBP]] velocity %[[V]]
    %b1, %v1 = train.momentum %b gradient %r#1 velocity %v rate %lr {alpha = 0.9 : f32} : tensor<7xf32>, tensor<f32>
    %s1 = train.sgd %s gradient %r#2 rate %lr : tensor<f32>, tensor<f32>
    // CHECK-NOT: collective
    // CHECK: return %[[A2]], %[[B2]], %[[V2]]
    return %a1, %b1, %v1, %s1, %o : tensor<8xf32>, tensor<7xf32>, tensor<7xf32>, tensor<f32>, tensor<7xf32>
  }
  // CHECK-LABEL: func.func @evaluate
  // CHECK-SAME: %[[E:.*]]: tensor<2xf32> {train.variable = #train.variable<"b", trainable, shard<7>>}
  // CHECK: %[[EROW:.*]] = collective.all_gather %[[E]] along 0 on @world {collective.regather = 0 : i64} : tensor<2xf32> -> tensor<8xf32>
  // CHECK: %[[EB:.*]] = collective.unflatten %[[EROW]]
  // CHECK: arith.mulf %[[EB]], %[[EB]]
  // CHECK-NOT: collective
  // CHECK: return
  func.func @evaluate(%b: tensor<7xf32> {train.variable = #b}) -> (tensor<7xf32> {train.metric = "square"}) {
    %square = arith.mulf %b, %b : tensor<7xf32>
    return %square : tensor<7xf32>
  }
}

// -----

// What takes the new value whole gets it from the parts; one rank has no parts.
#w = #train.variable<"w", trainable>
// APART: collective.group
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w : tensor<8xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.output = "roots"}) {
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    // CHECK: %[[NEW:.*]] = train.sgd %{{.*}} : tensor<4xf32>, tensor<f32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<8xf32>, tensor<f32>
    // CHECK: %[[ALL:.*]] = collective.all_gather %[[NEW]] along 0
    // CHECK: math.sqrt %[[ALL]]
    %roots = math.sqrt %w1 : tensor<8xf32>
    // CHECK: return %[[NEW]]
    return %w1, %roots : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#w = #train.variable<"w", trainable>
// CHECK: collective.group @one
module attributes {train.program} {
  collective.group @one {size = 1 : i64}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w : tensor<8xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-NOT: collective
  // CHECK: train.sgd %{{.*}} : tensor<8xf32>, tensor<f32>
  func.func @step(%w: tensor<8xf32> {train.variable = #w},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}) {
    %w1 = train.sgd %w gradient %w rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
