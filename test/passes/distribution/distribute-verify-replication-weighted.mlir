// Means over ranks that hold unequal parts of the batch, within the forward and the backward pass.
// RUN: not dist-opt %s --split-input-file --allow-unregistered-dialect --distribute-verify-replication --remarks-filter=distribute-verify-replication --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark: --implicit-check-not=error:

// The mean of all samples, and the mean of their gradients over this rank's share: whatever is computed of these and of
// what this rank has is as large as on one device.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 66 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %share = train.batch_weight @data : tensor<f32>
    %m = train.scale %x by %share : tensor<4xf32>, tensor<f32>
    %mean = collective.all_reduce sum %m on @world : tensor<4xf32>
    %g = "test.backward"(%x, %mean) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %once = train.scale %g by %share : tensor<4xf32>, tensor<f32>
    %twice = train.scale %once by %share : tensor<4xf32>, tensor<f32>
    %all = collective.all_reduce sum %twice on @world : tensor<4xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %inverse = arith.divf %one, %share : tensor<f32>
    %own = train.scale %all by %inverse : tensor<4xf32>, tensor<f32>
    %h = "test.backward"(%g, %own) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %weighed = train.scale %h by %share : tensor<4xf32>, tensor<f32>
    %reduced = collective.all_reduce sum %weighed on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %reduced rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Weighed twice, and not over the share: smaller than what this rank has, and nothing is known of what is made of it.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 66 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %share = train.batch_weight @data : tensor<f32>
    %once = train.scale %x by %share : tensor<4xf32>, tensor<f32>
    %twice = train.scale %once by %share : tensor<4xf32>, tensor<f32>
    %all = collective.all_reduce sum %twice on @world : tensor<4xf32>
    %h = "test.backward"(%x, %all) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %weighed = train.scale %h by %share : tensor<4xf32>, tensor<f32>
    %reduced = collective.all_reduce sum %weighed on @world : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: remark: {{.*}}the gradient of variable "w": it is not known whether it is divided once
    %w1 = train.sgd %w gradient %reduced rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Over the share it is each rank's own again, and no gradient of a variable that all ranks hold.
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 66 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #w}) {
    %share = train.batch_weight @data : tensor<f32>
    %once = train.scale %x by %share : tensor<4xf32>, tensor<f32>
    %twice = train.scale %once by %share : tensor<4xf32>, tensor<f32>
    %all = collective.all_reduce sum %twice on @world : tensor<4xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %inverse = arith.divf %one, %share : tensor<f32>
    %back = train.scale %all by %inverse : tensor<4xf32>, tensor<f32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: the gradient that 'train.sgd' takes is not reduced over the ranks
    %w1 = train.sgd %w gradient %back rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

// Once the ranks are four, shares are the number 1/4: a sum over four ranks times it is a mean, times a half it is not.
#v = #train.variable<"v", trainable>
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, weighted, @world, ranks = 4>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w, %w : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%v: tensor<4xf32> {train.variable = #v}, %w: tensor<4xf32> {train.variable = #w}, %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<4xf32> {train.variable = #v}, tensor<4xf32> {train.variable = #w}) {
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %m = train.scale %x by %quarter : tensor<4xf32>, tensor<f32>
    %mean = collective.all_reduce sum %m on @world : tensor<4xf32>
    %g = "test.backward"(%x, %mean) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %v1 = train.sgd %v gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    %half = arith.constant dense<0.5> : tensor<f32>
    %n = train.scale %x by %half : tensor<4xf32>, tensor<f32>
    %twice = collective.all_reduce sum %n on @world : tensor<4xf32>
    %h = "test.backward"(%x, %twice) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %s = collective.all_reduce mean %h on @world : tensor<4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: remark: {{.*}}the gradient of variable "w": it is not known whether it is divided once
    %w1 = train.sgd %w gradient %s rate %lr : tensor<4xf32>, tensor<f32>
    return %v1, %w1 : tensor<4xf32>, tensor<4xf32>
  }
}
