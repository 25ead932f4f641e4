// The means over ranks enter the gradient of X only: where nobody takes that (a first layer, or one after frozen ones),
// nothing is exchanged, and nobody is warned.
// RUN: dist-opt %s --distribute-sync-batch-norm --remarks=text 2>&1 | FileCheck %s
// CHECK: statistics are synchronised already, or not needed
// CHECK-NOT: collective.all_reduce
// CHECK: onnx.BatchNormalizationGrad
// CHECK-NOT: collective.all_reduce

#scale = #train.variable<"scale", trainable>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<3xf32> {train.variable = #scale}) {
    %zero = arith.constant dense<0.0> : tensor<3xf32>
    return %zero : tensor<3xf32>
  }
  func.func @step(%scale: tensor<3xf32> {train.variable = #scale},
                  %x: tensor<?x3x8xf32> {train.input = #train.input<"x", @data>}, %dy: tensor<?x3x8xf32> {train.input = #train.input<"dy", @data>})
      -> (tensor<3xf32> {train.variable = #scale}) {
    %dx, %dscale, %db = onnx.BatchNormalizationGrad %dy, %x, %scale, %scale, %scale
       : (tensor<?x3x8xf32>, tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x3x8xf32>, tensor<3xf32>, tensor<3xf32>)
    return %dscale : tensor<3xf32>
  }
}
