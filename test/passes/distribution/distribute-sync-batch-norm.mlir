// Statistics of batch normalization over all ranks, forward and backward, or running statistics averaged where they leave.
// RUN: dist-opt %s --distribute-sync-batch-norm | FileCheck %s --check-prefixes=CHECK,SYNC
// RUN: dist-opt %s --distribute-sync-batch-norm --distribute-sync-batch-norm | FileCheck %s --check-prefixes=CHECK,SYNC
// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" | FileCheck %s --check-prefixes=CHECK,LOCAL
// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" --distribute-sync-batch-norm="enable=false" | FileCheck %s --check-prefixes=CHECK,LOCAL
// RUN: sed 's/strided, error/strided, weighted/' %s | dist-opt --distribute-sync-batch-norm --cse | FileCheck %s --check-prefix=WEIGHTED

// On one rank nothing is left of it, for each policy.
// RUN: sed 's/, shard = .*>}/}/; /collective.group/d' %s | dist-opt -o %t.mlir
// RUN: dist-opt %s --distribute-sync-batch-norm --specialize-world="ranks=1" -o %t.one.mlir
// RUN: diff %t.mlir %t.one.mlir
// RUN: sed 's/strided, error/strided, weighted/' %s | dist-opt --distribute-sync-batch-norm --specialize-world="ranks=1" -o %t.weighted.mlir
// RUN: diff %t.mlir %t.weighted.mlir
// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" --specialize-world="ranks=1" -o %t.local.mlir
// RUN: diff %t.mlir %t.local.mlir

// RUN: dist-opt %s --distribute-sync-batch-norm="enable=false" --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dist-opt %s --distribute-sync-batch-norm --distribute-sync-batch-norm --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// REMARK: running statistics are averaged over ranks, which for a variance is not that of the whole batch
// TWICE-COUNT-2: statistics are synchronised already, or not needed

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
  // CHECK-SAME: (%[[MEAN:.*]]: tensor<3xf32> {{{.*}}}, %[[VAR:.*]]: tensor<3xf32> {{{.*}}}, %[[X:.*]]: tensor<?x3x8xf32> {{{.*}}}, %[[DY:.*]]: tensor<?x3x8xf32>
  // WEIGHTED-LABEL: func.func @step
  func.func @step(%mean: tensor<3xf32> {train.variable = #mean}, %var: tensor<3xf32> {train.variable = #var},
                  %x: tensor<?x3x8xf32> {train.input = #train.input<"x", @data>}, %dy: tensor<?x3x8xf32> {train.input = #train.input<"dy", @data>})
      -> (tensor<3xf32> {train.variable = #mean}, tensor<3xf32> {train.variable = #var},
          tensor<?x3x8xf32> {train.output = "y"}, tensor<?x3x8xf32> {train.output = "dx"}) {
    // SYNC: %[[M:.*]] = onnx.BatchMean %[[X]]
    // SYNC: %[[GM:.*]] = collective.all_reduce mean %[[M]] on @world : tensor<3xf32>
    // SYNC: %[[V:.*]] = onnx.BatchVariance %[[X]], %[[GM]]
    // SYNC: %[[GV:.*]] = collective.all_reduce mean %[[V]] on @world : tensor<3xf32>
    // CHECK: %[[Y:.*]], %[[RM:.*]], %[[RV:.*]], %{{.*}}, %{{.*}} = onnx.BatchNormInternal %[[X]]
    // SYNC-SAME: mean %[[GM]] variance %[[GV]]
    // LOCAL-NOT: variance
    %scale = arith.constant dense<1.0> : tensor<3xf32>
    %y, %rm, %rv, %m, %s = onnx.BatchNormInternal %x, %scale, %mean, %mean, %var
       : (tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    // SYNC: %[[DM:.*]] = onnx.BatchMean %[[DY]]
    // SYNC: %[[DC:.*]] = onnx.BatchCovariance %[[DY]], %[[X]]
    // SYNC: %[[G:.*]]:2 = collective.all_reduce mean %[[DM]], %[[DC]] on @world : tensor<3xf32>, tensor<3xf32>
    // CHECK: onnx.BatchNormalizationGrad
    // SYNC-SAME: mean %[[G]]#0 covariance %[[G]]#1
    // LOCAL: %[[R:.*]]:2 = collective.all_reduce mean %[[RM]], %[[RV]] on @world : tensor<3xf32>, tensor<3xf32>
    // SYNC: return %[[RM]], %[[RV]]
    // LOCAL: return %[[R]]#0, %[[R]]#1

    // Forward, a mean weighs by the parts; within the backward pass it weighs twice, and is scaled as this rank's gradients.
    // WEIGHTED: %[[W:.*]] = train.batch_weight @data
    // WEIGHTED: train.scale %{{.*}} by %[[W]]
    // WEIGHTED: collective.all_reduce sum
    // WEIGHTED: onnx.BatchNormInternal
    // WEIGHTED: %[[M1:.*]] = train.scale %{{.*}} by %[[W]]
    // WEIGHTED: %[[C1:.*]] = train.scale %{{.*}} by %[[W]]
    // WEIGHTED: %[[M2:.*]] = train.scale %[[M1]] by %[[W]]
    // WEIGHTED: %[[C2:.*]] = train.scale %[[C1]] by %[[W]]
    // WEIGHTED: %[[G:.*]]:2 = collective.all_reduce sum %[[M2]], %[[C2]]
    // WEIGHTED: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[W]]
    // WEIGHTED: train.scale %[[G]]#0 by %[[INVERSE]]
    // WEIGHTED: train.scale %[[G]]#1 by %[[INVERSE]]
    // WEIGHTED: onnx.BatchNormalizationGrad
    %dx, %dscale, %db = onnx.BatchNormalizationGrad %dy, %x, %scale, %m, %s
       : (tensor<?x3x8xf32>, tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>)
    return %rm, %rv, %y, %dx : tensor<3xf32>, tensor<3xf32>, tensor<?x3x8xf32>, tensor<?x3x8xf32>
  }
}
