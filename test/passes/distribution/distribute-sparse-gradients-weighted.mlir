// Where ranks hold unequal parts, merged rows are weighted, and all lists are as long as the longest.
// RUN: dist-opt %s --distribute-reduce-gradients --distribute-sparse-gradients -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: dist-opt %t.mlir --specialize-world="ranks=3" --train-specialize-batch="rank-class=floor" | FileCheck %s --check-prefix=FLOOR
// RUN: dist-opt %t.mlir --specialize-world="ranks=3" --train-specialize-batch="rank-class=ceil" | FileCheck %s --check-prefix=CEIL
// RUN: dist-opt %t.mlir --specialize-world="ranks=1" | FileCheck %s --check-prefix=ONE

#w = #train.variable<"w", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {global_batch = 20 : i64, shard = #train.shard<strided, weighted, @world>}
  func.func @initialize() -> (tensor<1000x2xf32> {train.variable = #w}) {
    %a = arith.constant dense<1.0> : tensor<1000x2xf32>
    return %a : tensor<1000x2xf32>
  }
  func.func @step(%w: tensor<1000x2xf32> {train.variable = #w}, %i: tensor<?x2xi64> {train.input = #train.input<"i", @data>},
                  %x: tensor<?x2x2xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr}) -> (tensor<1000x2xf32> {train.variable = #w}) {
    // CHECK: %[[I:.*]], %[[R:.*]] = train.merge_rows %{{.*}}, %{{.*}} of 1000 longest @data
    // CHECK: %[[S:.*]] = train.scale %[[R]] by
    // CHECK: collective.all_gather %[[I]]
    // CHECK: collective.all_gather %[[S]]
    // CHECK: train.merge_rows %{{.*}}, %{{.*}} of 1000 : tensor
    // CEIL: train.merge_rows %{{.*}} of 1000 {parts = array<i64: 7, 7>} : tensor<14xi64>, tensor<14x2xf32> -> tensor<14xi64>, tensor<14x2xf32>
    // CEIL: collective.all_gather {{.*}} : tensor<14x2xf32> -> tensor<42x2xf32>
    // FLOOR: train.merge_rows %{{.*}} of 1000 {parts = array<i64: 6, 7>} : tensor<12xi64>, tensor<12x2xf32> -> tensor<14xi64>, tensor<14x2xf32>
    // FLOOR: collective.all_gather {{.*}} : tensor<14x2xf32> -> tensor<42x2xf32>
    // ONE-NOT: merge_rows
    // ONE-NOT: train.scale
    // ONE: train.sgd
    %fi = onnx.Reshape %i {shape = array<i64: -1>} : (tensor<?x2xi64>) -> tensor<?xi64>
    %fx = onnx.Reshape %x {shape = array<i64: -1, 2>} : (tensor<?x2x2xf32>) -> tensor<?x2xf32>
    %g = train.scatter_rows %fi, %fx : tensor<?xi64>, tensor<?x2xf32> -> tensor<1000x2xf32>
    %w1 = train.sgd %w gradient %g rate %lr : tensor<1000x2xf32>, tensor<f32>
    return %w1 : tensor<1000x2xf32>
  }
}
