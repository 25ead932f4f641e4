// Each gradient is reduced once, before the optimizers that use it; what is equal on all ranks is left alone.
// RUN: dist-opt %s --distribute-reduce-gradients --split-input-file | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-reduce-gradients --distribute-reduce-gradients --split-input-file | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: dist-opt %s --distribute-reduce-gradients="reduction=sum" --split-input-file | FileCheck %s --check-prefixes=CHECK,SUM
// RUN: dist-opt %s --distribute-reduce-gradients --distribute-reduce-gradients --split-input-file --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The second application reduces nothing and says so, for each of the gradients.
// REMARK-COUNT-9: gradient is equal on every rank already and is not reduced again

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    %b = arith.constant dense<1.0> : tensor<2xf32>
    return %a, %b : tensor<4xf32>, tensor<2xf32>
  }
  // Both gradients exist before the first optimizer: their reductions stand together.
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[A:.*]]: tensor<4xf32> {{{.*}}}, %[[B:.*]]: tensor<2xf32> {{{.*}}}, %[[X:.*]]: tensor<4xf32> {{{.*}}}, %[[Y:.*]]: tensor<2xf32> {{{.*}}}, %[[LR:.*]]: tensor<f32>
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<2xf32> {train.variable = #b},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %y: tensor<2xf32> {train.input = #train.input<"y", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    // CHECK: %[[DA:.*]] = arith.mulf
    // CHECK: %[[DB:.*]] = arith.mulf
    %da = arith.mulf %a, %x : tensor<4xf32>
    %db = arith.mulf %b, %y : tensor<2xf32>
    // MEAN-NEXT: %[[RA:.*]] = collective.all_reduce mean %[[DA]] on @world : tensor<4xf32>
    // MEAN-NEXT: %[[RB:.*]] = collective.all_reduce mean %[[DB]] on @world : tensor<2xf32>
    // SUM-NEXT: %[[RA:.*]] = collective.all_reduce sum %[[DA]] on @world : tensor<4xf32>
    // SUM-NEXT: %[[RB:.*]] = collective.all_reduce sum %[[DB]] on @world : tensor<2xf32>
    // CHECK-NEXT: train.sgd %[[A]] gradient %[[RA]] rate %[[LR]]
    %a1 = train.sgd %a gradient %da rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK-NEXT: train.sgd %[[B]] gradient %[[RB]] rate %[[LR]]
    %b1 = train.sgd %b gradient %db rate %lr : tensor<2xf32>, tensor<f32>
    return %a1, %b1 : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  // One gradient of two variables; other uses of it stay as they are.
  // CHECK-LABEL: func.func @step
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<4xf32> {train.output = "local"}) {
    // CHECK: %[[G:.*]] = arith.mulf
    %g = arith.mulf %a, %x : tensor<4xf32>
    // MEAN: %[[R:.*]] = collective.all_reduce mean %[[G]]
    // SUM: %[[R:.*]] = collective.all_reduce sum %[[G]]
    // CHECK-NOT: collective
    // CHECK: train.sgd %{{.*}} gradient %[[R]]
    %a1 = train.sgd %a gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: train.sgd %{{.*}} gradient %[[R]]
    %b1 = train.sgd %b gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: return %{{.*}}, %{{.*}}, %[[G]]
    return %a1, %b1, %g : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  // The second gradient depends on the first optimizer: nothing is moved, each stands before its own.
  // CHECK-LABEL: func.func @step
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}) {
    // CHECK: collective.all_reduce {{mean|sum}}
    // CHECK-NEXT: %[[A1:.*]] = train.sgd
    %a1 = train.sgd %a gradient %x rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK-NEXT: %[[G:.*]] = arith.mulf %[[A1]]
    %g = arith.mulf %a1, %x : tensor<4xf32>
    // CHECK-NEXT: %[[R:.*]] = collective.all_reduce {{mean|sum}} %[[G]]
    // CHECK-NEXT: train.sgd %{{.*}} gradient %[[R]]
    %b1 = train.sgd %b gradient %g rate %lr : tensor<4xf32>, tensor<f32>
    return %a1, %b1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#a = #train.variable<"a", trainable>
#b = #train.variable<"b", trainable>
#c = #train.variable<"c", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  train.dataset @data {shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<4xf32> {train.variable = #c}) {
    %a = arith.constant dense<1.0> : tensor<4xf32>
    return %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // A marked gradient is reduced where it is marked, and not again at the optimizer after it; a gradient that the program
  // reduces itself is left alone.
  // CHECK-LABEL: func.func @step
  func.func @step(%a: tensor<4xf32> {train.variable = #a}, %b: tensor<4xf32> {train.variable = #b}, %c: tensor<4xf32> {train.variable = #c},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #a}, tensor<4xf32> {train.variable = #b}, tensor<4xf32> {train.variable = #c}) {
    // CHECK: %[[R:.*]] = collective.all_reduce {{mean|sum}}
    // CHECK: %[[M:.*]] = train.mark_gradient %[[R]]
    %g = arith.mulf %a, %x : tensor<4xf32>
    %m = train.mark_gradient %g : tensor<4xf32>
    // CHECK: %[[CLIPPED:.*]] = arith.minimumf %[[M]]
    %clipped = arith.minimumf %m, %a : tensor<4xf32>
    // CHECK: %[[OWN:.*]] = collective.all_reduce max
    %own = collective.all_reduce max %x on @world : tensor<4xf32>
    // A weight decay alone needs no reduction; its sum over the ranks is a product.
    // SUM: %[[SIZE:.*]] = collective.size on @world
    // SUM: %[[SUM:.*]] = train.scale %[[C:.*]] by %{{.*}} : tensor<4xf32>, tensor<f32>
    // CHECK-NOT: collective
    // CHECK: train.sgd %{{.*}} gradient %[[CLIPPED]]
    %a1 = train.sgd %a gradient %clipped rate %lr : tensor<4xf32>, tensor<f32>
    // CHECK: train.sgd %{{.*}} gradient %[[OWN]]
    %b1 = train.sgd %b gradient %own rate %lr : tensor<4xf32>, tensor<f32>
    // MEAN: train.sgd %[[C:.*]] gradient %[[C]]
    // SUM: train.sgd %[[C]] gradient %[[SUM]]
    %c1 = train.sgd %c gradient %c rate %lr : tensor<4xf32>, tensor<f32>
    return %a1, %b1, %c1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
