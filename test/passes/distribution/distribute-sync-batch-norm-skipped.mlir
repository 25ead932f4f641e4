// Running statistics are averaged before a step that does not count puts them back, once, whoever uses them.
// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" --distribute-sync-batch-norm="enable=false" | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" --distribute-verify-replication -o /dev/null
// RUN: sed 's/strided, error/strided, weighted/' %s | dist-opt --distribute-sync-batch-norm="enable=false" | FileCheck %s --check-prefixes=CHECK,WEIGHTED
// RUN: sed 's/strided, error/strided, weighted/' %s | dist-opt --distribute-sync-batch-norm="enable=false" --distribute-sync-batch-norm="enable=false" | FileCheck %s --check-prefixes=CHECK,WEIGHTED

#mean = #train.variable<"mean", other>
#var = #train.variable<"var", other>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<3xf32> {train.variable = #mean}, tensor<3xf32> {train.variable = #var}) {
    %zero = arith.constant dense<0.0> : tensor<3xf32>
    return %zero, %zero : tensor<3xf32>, tensor<3xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[MEAN:.*]]: tensor<3xf32> {{{.*}}}, %[[VAR:.*]]: tensor<3xf32> {{{.*}}}, %[[X:.*]]: tensor<?x3x8xf32> {{{.*}}}, %[[LIMIT:.*]]: tensor<f32>
  func.func @step(%mean: tensor<3xf32> {train.variable = #mean}, %var: tensor<3xf32> {train.variable = #var},
                  %x: tensor<?x3x8xf32> {train.input = #train.input<"x", @data>}, %limit: tensor<f32> {train.hyperparameter = #train.hyperparameter<"limit", 1.0 : f64>})
      -> (tensor<3xf32> {train.variable = #mean}, tensor<3xf32> {train.variable = #var},
          tensor<?x3x8xf32> {train.output = "y"}, tensor<3xf32> {train.output = "unused"}) {
    // CHECK: %[[FINITE:.*]] = train.all_finite %[[LIMIT]]
    %finite = train.all_finite %limit : tensor<f32>
    %scale = arith.constant dense<1.0> : tensor<3xf32>
    // CHECK: %[[Y:.*]], %[[RM:.*]], %[[RV:.*]], %{{.*}}, %{{.*}} = onnx.BatchNormInternal %[[X]]
    // CHECK-NOT: train.select
    // WEIGHTED: %[[W:.*]] = train.batch_weight @data
    // WEIGHTED: %[[WM:.*]] = train.scale %[[RM]] by %[[W]]
    // WEIGHTED: %[[WV:.*]] = train.scale %[[RV]] by %[[W]]
    // WEIGHTED: %[[R:.*]]:2 = collective.all_reduce sum %[[WM]], %[[WV]] on @world
    // MEAN: %[[R:.*]]:2 = collective.all_reduce mean %[[RM]], %[[RV]] on @world
    // CHECK-NOT: collective
    // CHECK: %[[M:.*]] = train.select %[[FINITE]], %[[R]]#0, %[[MEAN]]
    // CHECK: %[[V:.*]] = train.select %[[FINITE]], %[[R]]#1, %[[VAR]]
    // CHECK: return %[[M]], %[[V]], %[[Y]], %[[R]]#0
    %y, %rm, %rv, %m, %s = onnx.BatchNormInternal %x, %scale, %mean, %mean, %var
       : (tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    %m1 = train.select %finite, %rm, %mean : tensor<3xf32>
    %v1 = train.select %finite, %rv, %var : tensor<3xf32>
    return %m1, %v1, %y, %rm : tensor<3xf32>, tensor<3xf32>, tensor<?x3x8xf32>, tensor<3xf32>
  }
}
