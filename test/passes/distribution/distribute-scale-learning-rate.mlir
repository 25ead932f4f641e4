// Learning rates follow the number of ranks, each once; on one rank nothing is left of it.
// RUN: dist-opt %s --distribute-scale-learning-rate | FileCheck %s --check-prefix=NONE
// RUN: dist-opt %s --distribute-scale-learning-rate="mode=linear" | FileCheck %s --check-prefixes=CHECK,LINEAR
// RUN: dist-opt %s --distribute-scale-learning-rate="mode=sqrt" | FileCheck %s --check-prefixes=CHECK,SQRT
// RUN: dist-opt %s --distribute-scale-learning-rate="mode=sqrt" --specialize-world="ranks=1" | FileCheck %s --check-prefix=NONE
// RUN: dist-opt %s --distribute-scale-learning-rate="mode=sqrt" --specialize-world="ranks=4" | FileCheck %s --check-prefix=FOUR
// RUN: dist-opt %s --distribute-scale-learning-rate="mode=linear" --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] distribute-scale-learning-rate{{.*}}learning rate is multiplied by the number of ranks
// NONE-NOT: train.scale
// NONE-NOT: collective
// FOUR: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<f32>
// FOUR: train.scale %{{.*}} by %[[TWO]]

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[LR:[^ ,]*]]: tensor<f32> {train.hyperparameter
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<f32> {train.metric = "rate"}) {
    // CHECK-NEXT: %[[SIZE:.*]] = collective.size on @world : index
    // CHECK-NEXT: %[[INTEGER:.*]] = arith.index_cast %[[SIZE]] : index to i64
    // CHECK-NEXT: %[[FLOAT:.*]] = arith.sitofp %[[INTEGER]] : i64 to f32
    // SQRT-NEXT: %[[ROOT:.*]] = math.sqrt %[[FLOAT]]
    // SQRT-NEXT: %[[FACTOR:.*]] = tensor.from_elements %[[ROOT]] : tensor<f32>
    // LINEAR-NEXT: %[[FACTOR:.*]] = tensor.from_elements %[[FLOAT]] : tensor<f32>
    // CHECK-NEXT: %[[SCALED:.*]] = train.scale %[[LR]] by %[[FACTOR]] : tensor<f32>, tensor<f32>
    // CHECK-NEXT: train.sgd %{{.*}} gradient %{{.*}} rate %[[SCALED]]
    %a1 = train.sgd %a gradient %a rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK-NEXT: train.sgd %{{.*}} gradient %{{.*}} rate %[[SCALED]]
    %b1 = train.sgd %b gradient %b rate %lr : tensor<4xf32>, tensor<f32>
    // What is reported is the hyperparameter.
    // CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[LR]]
    return %a1, %b1, %lr : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
}
