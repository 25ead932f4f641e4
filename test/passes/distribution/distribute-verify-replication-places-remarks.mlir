// What is put together of parts that an operation hides, and of what is each rank's own, gets a remark; buffers may hold anything.
// RUN: dist-opt %s --split-input-file --distribute-verify-replication --remarks-filter=distribute-verify-replication --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#q = #train.variable<"queue", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #w}, tensor<4x4xf32> {train.variable = #v}, tensor<4x4xf32> {train.variable = #q}) {
    %one = arith.constant dense<1.0> : tensor<4x4xf32>
    return %one, %one, %one : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @step(%w: tensor<4x4xf32> {train.variable = #w}, %v: tensor<4x4xf32> {train.variable = #v}, %q: tensor<4x4xf32> {train.variable = #q},
                  %x: tensor<4x4xf32> {train.input = #train.input<"x", @data>}, %rows: tensor<2x4xf32> {train.input = #train.input<"rows", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4x4xf32> {train.variable = #w}, tensor<4x4xf32> {train.variable = #v}, tensor<4x4xf32> {train.variable = #q}) {
    %rank = collective.rank on @world : index
    %two = arith.constant 2 : index
    %first = arith.muli %rank, %two : index
    %gp = collective.reduce_scatter mean %x along 0 on @world : tensor<4x4xf32> -> tensor<2x4xf32>
    %wp = tensor.extract_slice %w[%first, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
    %n = train.sgd %wp gradient %gp rate %lr : tensor<2x4xf32>, tensor<f32>
    %into = tensor.empty() : tensor<4x2xf32>
    %turned = linalg.transpose ins(%n : tensor<2x4xf32>) outs(%into : tensor<4x2xf32>) permutation = [1, 0]
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: remark: {{.*}}variable "w": it is not known where its parts lie after 'collective.all_gather'
    %w1 = collective.all_gather %turned along 1 on @world : tensor<4x2xf32> -> tensor<4x4xf32>
    // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: remark: {{.*}}variable "v": it is not known where its parts lie after 'collective.all_gather'
    %v1 = collective.all_gather %rows along 0 on @world : tensor<2x4xf32> -> tensor<4x4xf32>
    // CHECK-NOT: "queue"
    %q1 = collective.all_gather %rows along 0 on @world {acme.second} : tensor<2x4xf32> -> tensor<4x4xf32>
    return %w1, %v1, %q1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

// What crosses ranks in a region is not followed, and not taken for right.
// CHECK: remark: {{.*}}the gradient of variable "w": it is not known whether it is divided once: an operation on the way hides its scale
#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module @region attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}) {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    return %one : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %x: tensor<8xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<8xf32> {train.variable = #w}) {
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = scf.execute_region -> tensor<8xf32> {
      %q = collective.all_reduce sum %g on @world : tensor<8xf32>
      scf.yield %q : tensor<8xf32>
    }
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
