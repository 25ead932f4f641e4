// What the keys of --distribute ask for: at once, or at launch where the number of ranks must be known.
// RUN: dist-opt %s --distribute | FileCheck %s
// RUN: dist-opt %s --distribute="buckets=none" | FileCheck %s --check-prefix=ALONE
// RUN: dist-opt %s --distribute="bucket-count=1" | FileCheck %s --check-prefix=ALONE
// RUN: dist-opt %s --distribute="overlap=true hierarchy=2" | FileCheck %s --check-prefix=LAUNCH
// RUN: dist-opt %s --distribute="shard-optimizer=1 bucket-bytes=64 overlap=true" | FileCheck %s --check-prefix=SHARD
// RUN: dist-opt %s --distribute="local-sgd=4" | FileCheck %s --check-prefix=LOCAL
// RUN: dist-opt %s --distribute="buckets=none overlap=true" --specialize-world="ranks=2" | FileCheck %s --check-prefix=TWO

// CHECK: module attributes {train.program}
// CHECK: collective.all_reduce mean %{{.*}}, %{{.*}} on @world : tensor<4xf32>, tensor<8xf32>
// ALONE: collective.all_reduce mean %{{[0-9a-z_]*}} on @world : tensor<4xf32>
// ALONE: collective.all_reduce mean %{{[0-9a-z_]*}} on @world : tensor<8xf32>
// LAUNCH: module attributes {train.at_launch = ["collective-hierarchy{ranks-per-node=2}", "collective-overlap", "distribute-verify-replication"], train.program}
// LAUNCH: collective.all_reduce mean %{{.*}}, %{{.*}} on @world
// SHARD: module attributes {train.at_launch = ["distribute-shard-optimizer", "collective-fuse{bucket-bytes=64}", "collective-overlap", "distribute-verify-replication"], train.program}
// LOCAL: module attributes {train.at_launch = ["distribute-local-sgd{every=4}", {{.*}}"distribute-verify-replication"], train.program}
// LOCAL-NOT: collective.all_reduce
// TWO: module attributes {train.program}
// TWO: collective.async
module attributes {train.program} {
  train.dataset @data {global_batch = 64 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"a", trainable>},
                              tensor<8xf32> {train.variable = #train.variable<"b", trainable>}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    %b = arith.constant dense<2.0> : tensor<8xf32>
    return %a, %b : tensor<4xf32>, tensor<8xf32>
  }
  func.func @step(%a: tensor<4xf32> {train.variable = #train.variable<"a", trainable>},
                  %b: tensor<8xf32> {train.variable = #train.variable<"b", trainable>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %y: tensor<?x8xf32> {train.input = #train.input<"y", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #train.variable<"a", trainable>},
          tensor<8xf32> {train.variable = #train.variable<"b", trainable>}) {
    %za = arith.constant dense<0.0> : tensor<4xf32>
    %zb = arith.constant dense<0.0> : tensor<8xf32>
    %ga = linalg.reduce ins(%x : tensor<?x4xf32>) outs(%za : tensor<4xf32>) dimensions = [0]
      (%in: f32, %sum: f32) {
        %s = arith.addf %in, %sum : f32
        linalg.yield %s : f32
      }
    %gb = linalg.reduce ins(%y : tensor<?x8xf32>) outs(%zb : tensor<8xf32>) dimensions = [0]
      (%in: f32, %sum: f32) {
        %s = arith.addf %in, %sum : f32
        linalg.yield %s : f32
      }
    %a1 = train.sgd %a gradient %ga rate %lr : tensor<4xf32>, tensor<f32>
    %b1 = train.sgd %b gradient %gb rate %lr : tensor<8xf32>, tensor<f32>
    return %a1, %b1 : tensor<4xf32>, tensor<8xf32>
  }
}
