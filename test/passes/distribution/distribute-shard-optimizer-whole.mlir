// Stage 1 keeps the gradients that something else takes, and what is used as a whole is gathered.
// RUN: dist-opt %s --distribute-shard-optimizer | FileCheck %s
// RUN: dist-opt %s --distribute-shard-optimizer --remarks-filter=distribute-shard-optimizer --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: gradient is reduced as a whole on every rank: 'math.sqrt' takes it, too

#w = #train.variable<"w", trainable>
#v = #train.variable<"w.v", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %w : tensor<8xf32>, tensor<8xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<4xf32>
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8xf32> {train.variable = #v},
          tensor<8xf32> {train.output = "roots"}, tensor<8xf32> {train.output = "velocity"}, tensor<8xf32> {train.output = "moved"}) {
    // CHECK: %[[OLD:.*]] = collective.all_gather %[[V]] along 0
    // CHECK: %[[G:.*]] = collective.all_reduce mean
    // CHECK-NOT: collective.reduce_scatter
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    // CHECK: %[[PART:.*]] = tensor.extract_slice %[[G]]
    // CHECK: %[[NEW:.*]], %[[V1:.*]] = train.momentum %{{.*}} gradient %[[PART]] velocity %[[V]]
    // CHECK: %[[W1:.*]] = collective.all_gather %[[NEW]] along 0
    %w1, %v1 = train.momentum %w gradient %g velocity %v rate %lr {alpha = 0.9 : f32} : tensor<8xf32>, tensor<f32>
    // CHECK: math.sqrt %[[G]] : tensor<8xf32>
    %roots = math.sqrt %g : tensor<8xf32>
    // CHECK: arith.negf %[[OLD]] : tensor<8xf32>
    %negative = arith.negf %v : tensor<8xf32>
    // CHECK: arith.subf %[[W1]], %{{.*}} : tensor<8xf32>
    %moved = arith.subf %w1, %w : tensor<8xf32>
    return %w1, %v1, %roots, %negative, %moved : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
