// What a loss is divided by is counted in the whole batch before the loop; a micro-batch has its share of it.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4" | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-accumulate-gradients="micro-batches=4 reduction=sum" | FileCheck %s --check-prefixes=CHECK,SUM

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[W:.*]]: tensor<4xf32> {{{.*}}}, %[[X:.*]]: tensor<?x4xf32>
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.metric = "loss"}) {
    // The mask is needed twice: of the whole batch, and of each micro-batch.
    // CHECK: %[[ALL:.*]] = "test.mask"(%[[X]])
    // CHECK: %[[COUNT:.*]] = "test.count"(%[[ALL]])
    // CHECK: %[[TOTAL:.*]] = train.batch_total %[[COUNT]]
    // CHECK: %[[SHARE:.*]] = train.batch_share %[[TOTAL]]
    // MEAN: %[[DIVISOR:.*]] = train.scale %[[SHARE]] by %{{.*}} : tensor<f32>, tensor<f32>
    // CHECK: scf.for
    // CHECK: %[[PART:.*]] = train.micro_batch
    // CHECK: %[[MASK:.*]] = "test.mask"(%[[PART]])
    // CHECK-NOT: "test.count"
    // MEAN: "test.loss"(%[[MASK]], %[[DIVISOR]])
    // SUM: "test.loss"(%[[MASK]], %[[SHARE]])
    %mask = "test.mask"(%x) : (tensor<?x4xf32>) -> tensor<?xf32>
    %count = "test.count"(%mask) : (tensor<?xf32>) -> tensor<f32>
    %total = train.batch_total %count : tensor<f32>
    %share = train.batch_share %total : tensor<f32>
    %loss = "test.loss"(%mask, %share) : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    %g = "test.backward"(%x, %loss, %w) : (tensor<?x4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %w1, %loss : tensor<4xf32>, tensor<f32>
  }
}
