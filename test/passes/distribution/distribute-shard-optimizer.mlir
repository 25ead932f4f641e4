// Each rank keeps and updates its part of the states: the gradient is scattered, the variable is gathered.
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="min-elements=4" | FileCheck %s
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="min-elements=4 stage=2" | FileCheck %s
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="min-elements=4" --distribute-verify-replication -o /dev/null
// RUN: dist-opt %s --split-input-file --distribute-shard-optimizer="min-elements=4" --remarks-filter=distribute-shard-optimizer --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: the optimizer of variable "w" is sharded: 3 of 10 elements of 2 states on each of 4 ranks
// REMARK-DAG: the optimizer of variable "b" is not sharded: 3 elements are fewer than min-elements=4
// REMARK-DAG: the optimizer of variable "s" is not sharded: it has no states

#w = #train.variable<"w", trainable>
#b = #train.variable<"b", trainable>
#s = #train.variable<"s", trainable>
#m = #train.variable<"w.m", state>
#v = #train.variable<"w.v", state>
#bm = #train.variable<"b.m", state>
#t = #train.variable<"t", other>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // What all ranks make alike is not sent any more: only the variables are.
  // CHECK-LABEL: func.func @initialize
  // CHECK-SAME: tensor<3xf32> {train.variable = #train.variable<"w.m", state, shard<2x5>>}, tensor<3xf32> {train.variable = #train.variable<"w.v", state, shard<2x5>>}
  func.func @initialize() -> (tensor<2x5xf32> {train.variable = #w}, tensor<3xf32> {train.variable = #b}, tensor<4xf32> {train.variable = #s},
                              tensor<2x5xf32> {train.variable = #m}, tensor<2x5xf32> {train.variable = #v},
                              tensor<3xf32> {train.variable = #bm}, tensor<i64> {train.variable = #t}) {
    %w = arith.constant dense<1.0> : tensor<2x5xf32>
    %b = arith.constant dense<0.0> : tensor<3xf32>
    %s = arith.constant dense<0.0> : tensor<4xf32>
    %m = arith.constant dense<0.5> : tensor<2x5xf32>
    %v = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf32>
    %t = arith.constant dense<0> : tensor<i64>
    // CHECK: %[[M:.*]] = arith.constant dense<5.000000e-01> : tensor<3xf32>
    // CHECK: %[[F:.*]]:4 = collective.broadcast %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} from 0 on @world : tensor<2x5xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>
    %f:6 = collective.broadcast %w, %b, %s, %m, %v, %b from 0 on @world
        : tensor<2x5xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<3xf32>
    // CHECK: %[[ROW:.*]] = collective.flatten %{{.*}} : tensor<2x5xf32> -> tensor<12xf32>
    // CHECK: %[[V:.*]] = tensor.extract_slice %[[ROW]][%{{.*}}] [3] [1]
    // CHECK: return %[[F]]#0, %[[F]]#1, %[[F]]#2, %[[M]], %[[V]], %[[F]]#3
    return %f#0, %f#1, %f#2, %f#3, %f#4, %f#5, %t
        : tensor<2x5xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<3xf32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<2x5xf32> {train.variable = #train.variable<"w", trainable>}
  // CHECK-SAME: %[[M:[a-z0-9]*]]: tensor<3xf32> {train.variable = #train.variable<"w.m", state, shard<2x5>>}
  // CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<3xf32> {train.variable = #train.variable<"w.v", state, shard<2x5>>}
  func.func @step(%w: tensor<2x5xf32> {train.variable = #w}, %b: tensor<3xf32> {train.variable = #b}, %s: tensor<4xf32> {train.variable = #s},
                  %m: tensor<2x5xf32> {train.variable = #m}, %v: tensor<2x5xf32> {train.variable = #v},
                  %bm: tensor<3xf32> {train.variable = #bm}, %t: tensor<i64> {train.variable = #t},
                  %x: tensor<2x5xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<3xf32> {train.input = #train.input<"y", @data>},
                  %z: tensor<4xf32> {train.input = #train.input<"z", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<2x5xf32> {train.variable = #w}, tensor<3xf32> {train.variable = #b}, tensor<4xf32> {train.variable = #s},
          tensor<2x5xf32> {train.variable = #m}, tensor<2x5xf32> {train.variable = #v},
          tensor<3xf32> {train.variable = #bm}, tensor<i64> {train.variable = #t}) {
    // What is reduced is scattered where it is made.
    // CHECK: %[[G:.*]] = collective.flatten %{{.*}} : tensor<2x5xf32> -> tensor<12xf32>
    // CHECK: %[[PART:.*]] = collective.reduce_scatter mean %[[G]] along 0 on @world : tensor<12xf32> -> tensor<3xf32>
    // CHECK-DAG: %[[RANK:.*]] = collective.rank on @world
    // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
    // CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %[[THREE]]
    // A bucket keeps those that stay.
    // CHECK: %[[R:.*]]:2 = collective.all_reduce mean %{{.*}}, %{{.*}} on @world : tensor<3xf32>, tensor<4xf32>
    %g:3 = collective.all_reduce mean %x, %y, %z on @world : tensor<2x5xf32>, tensor<3xf32>, tensor<4xf32>
    // CHECK: %[[ROW:.*]] = collective.flatten %[[W]] : tensor<2x5xf32> -> tensor<12xf32>
    // CHECK: %[[OLD:.*]] = tensor.extract_slice %[[ROW]][%[[FIRST]]] [3] [1] : tensor<12xf32> to tensor<3xf32>
    // CHECK: %[[NEW:.*]], %[[M1:.*]], %[[V1:.*]] = train.adam %[[OLD]] gradient %[[PART]] moments %[[M]], %[[V]] rate %{{.*}} step %{{.*}} : tensor<3xf32>, tensor<f32>
    %w1, %m1, %v1 = train.adam %w gradient %g#0 moments %m, %v rate %lr step %t : tensor<2x5xf32>, tensor<f32>
    // CHECK: %[[B1:.*]], %[[BM1:.*]] = train.momentum %{{.*}} gradient %[[R]]#0
    %b1, %bm1 = train.momentum %b gradient %g#1 velocity %bm rate %lr {alpha = 0.9 : f32} : tensor<3xf32>, tensor<f32>
    // CHECK: %[[S1:.*]] = train.sgd %{{.*}} gradient %[[R]]#1
    %s1 = train.sgd %s gradient %g#2 rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: %[[ALL:.*]] = collective.all_gather %[[NEW]] along 0 on @world : tensor<3xf32> -> tensor<12xf32>
    // CHECK: %[[W1:.*]] = collective.unflatten %[[ALL]] : tensor<12xf32> -> tensor<2x5xf32>
    // CHECK: return %[[W1]], %[[B1]], %[[S1]], %[[M1]], %[[V1]], %[[BM1]]
    return %w1, %b1, %s1, %m1, %v1, %bm1, %t
        : tensor<2x5xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<3xf32>, tensor<i64>
  }
}

// -----

// What stands between the reduction and the variables works on parts, too: unscaling, skipping a step. Equal lengths need no flattening.
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    // CHECK: %[[V:.*]] = arith.constant dense<1.250000e-01> : tensor<4xf32>
    // CHECK-NOT: collective
    // CHECK: return %{{.*}}, %[[V]]
    %v = train.full_like %w, 0.125 : tensor<8xf32>
    return %w, %v : tensor<8xf32>, tensor<8xf32>
  }
  // CHECK-LABEL: func.func @step
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>}, %loss: tensor<f32> {train.input = #train.input<"loss", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %half = arith.constant dense<0.5> : tensor<f32>
    %two = arith.constant dense<2.0> : tensor<8xf32>
    // CHECK-NOT: collective.flatten
    // CHECK: %[[G:.*]] = collective.reduce_scatter sum %{{.*}} along 0 on @world : tensor<8xf32> -> tensor<4xf32>
    // CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
    %g = collective.all_reduce sum %x on @world : tensor<8xf32>
    %all = collective.all_reduce sum %loss on @world : tensor<f32>
    // CHECK: %[[A:.*]] = train.scale %[[G]] by %{{.*}} : tensor<4xf32>
    %a = train.scale %g by %half : tensor<8xf32>, tensor<f32>
    // CHECK: %[[B:.*]] = arith.mulf %[[A]], %[[TWO]] : tensor<4xf32>
    %b = arith.mulf %a, %two : tensor<8xf32>
    // CHECK: %[[OLD:.*]] = tensor.extract_slice %{{.*}} [4] [1] : tensor<8xf32> to tensor<4xf32>
    // CHECK: %[[W1:.*]], %[[V1:.*]] = train.momentum %[[OLD]] gradient %[[B]]
    %w1, %v1 = train.momentum %w gradient %b velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    %loss_now = tensor.extract %all[] : tensor<f32>
    %limit = arith.constant 10.0 : f32
    %skip = arith.cmpf ugt, %loss_now, %limit : f32
    // CHECK-DAG: %[[V2:.*]] = arith.select %{{.*}}, %{{.*}}, %[[V1]] : tensor<4xf32>
    // CHECK-DAG: %[[W2:.*]] = arith.select %{{.*}}, %[[OLD]], %[[W1]] : tensor<4xf32>
    %w2 = arith.select %skip, %w, %w1 : tensor<8xf32>
    %v2 = arith.select %skip, %v, %v1 : tensor<8xf32>
    // CHECK: %[[ALL:.*]] = collective.all_gather %[[W2]] along 0 on @world : tensor<4xf32> -> tensor<8xf32>
    // CHECK: return %[[ALL]], %[[V2]]
    return %w2, %v2 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// On one rank there is nothing to divide.
#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
// CHECK: collective.group @one
module attributes {train.program} {
  collective.group @one {size = 1 : i64}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %w : tensor<8xf32>, tensor<8xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-NOT: collective
  // CHECK: train.momentum %{{.*}} : tensor<8xf32>, tensor<f32>
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w1, %v1 = train.momentum %w gradient %w velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}
