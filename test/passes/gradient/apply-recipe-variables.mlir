// Which variables a recipe trains, how each of them decays and at which rate; and what it says of them.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = dist-opt %s --train-apply-recipe="loss=output:cost %{recipe}" --remarks=text --remarks-filter=train-apply-recipe 2>&1 | FileCheck %s --check-prefix=%{prefix}
// DEFINE: %{refuse} = not dist-opt %s --train-apply-recipe="loss=output:cost %{recipe}" 2>&1 | FileCheck %s --check-prefix=%{prefix}

// A scalar is not trained, nor is what the chosen loss does not depend on.
// REDEFINE: %{recipe} = optimizer=sgd
// REDEFINE: %{prefix} = DEFAULT
// RUN: %{check}
// DEFAULT-DAG: remark{{.*}}3 variables trained; names: head.weight, head.bias, body.weight
// DEFAULT-DAG: remark{{.*}}1 variable of one element not trained, as trainable= does not ask for it; names: scale
// DEFAULT-DAG: remark{{.*}}1 variable unused: the loss does not depend on it, so it is not trained; names: other.weight
// DEFAULT-DAG: remark{{.*}}1 variable kept, that cannot be trained; names: mean
// DEFAULT-LABEL: func.func @step
// DEFAULT-SAME: "head.weight", trainable>
// DEFAULT-SAME: "scale", other>
// DEFAULT-SAME: "other.weight", other>
// DEFAULT-COUNT-3: train.sgd
// DEFAULT-NOT: train.sgd

// What is asked for is trained, the scalar too, and nothing else; running statistics never are.
// REDEFINE: %{recipe} = trainable=*a* freeze=head.?ias,b[io]dy.weight
// REDEFINE: %{prefix} = CHOSEN
// RUN: %{check}
// CHOSEN-DAG: remark{{.*}}2 variables trained; names: head.weight, scale
// CHOSEN-DAG: remark{{.*}}3 variables frozen; names: head.bias, body.weight, other.weight
// CHOSEN-DAG: remark{{.*}}1 variable kept, that cannot be trained; names: mean
// CHOSEN-LABEL: func.func @initialize
// CHOSEN-SAME: "scale", trainable>
// CHOSEN-LABEL: func.func @step
// CHOSEN-SAME: "head.bias", other>
// CHOSEN-SAME: "scale", trainable>
// CHOSEN-SAME: "mean", other>
// CHOSEN-COUNT-2: train.sgd
// CHOSEN-NOT: train.sgd

// REDEFINE: %{recipe} = trainable=default,scale
// REDEFINE: %{prefix} = MORE
// RUN: %{check}
// MORE: 4 variables trained; names: head.weight, head.bias, body.weight, scale

// REDEFINE: %{recipe} = optimizer=adamw no-decay='*.bias, scale' trainable=default,scale learning-rate-scale=head*:0.5,*:2
// REDEFINE: %{prefix} = GROUPS
// RUN: %{check}
// GROUPS-LABEL: func.func @step
// GROUPS: %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// GROUPS: %[[HEAD:.+]] = train.scale %[[RATE:.+]] by %[[HALF]]
// GROUPS: train.adamw %{{.+}} rate %[[HEAD]] step %{{[a-z0-9]+}} :
// GROUPS: train.adamw %{{.+}} rate %[[HEAD]] step %{{[a-z0-9]+}} {weight_decay = 0.000000e+00 : f32}
// GROUPS: %[[TWO:.+]] = arith.constant dense<2.000000e+00> : tensor<f32>
// GROUPS: %[[REST:.+]] = train.scale %[[RATE]] by %[[TWO]]
// GROUPS: train.adamw %{{.+}} rate %[[REST]] step %{{[a-z0-9]+}} :
// GROUPS: train.adamw %{{.+}} rate %[[REST]] step %{{[a-z0-9]+}} {weight_decay = 0.000000e+00 : f32}

// Without decay LAMB is Adam, as it is elsewhere.
// REDEFINE: %{recipe} = optimizer=lamb no-decay=*bias
// REDEFINE: %{prefix} = LAMB
// RUN: %{check}
// LAMB-LABEL: func.func @step
// LAMB-SAME: "head.weight.exp_avg", state>
// LAMB-SAME: "step", other>
// LAMB: train.lamb {{.*}} step %{{[a-z0-9]+}} :
// LAMB: train.adam {{.*}} {epsilon = 9.99999997E-7 : f32}
// LAMB: train.lamb

// REDEFINE: %{recipe} = freeze=haed.*
// REDEFINE: %{prefix} = NOTHING
// RUN: %{refuse}
// NOTHING: error: recipe: freeze: no variable matches 'haed.*'; there are head.weight, head.bias, body.weight, scale, mean and others

// REDEFINE: %{recipe} = trainable=haed.bias
// REDEFINE: %{prefix} = NEAR
// RUN: %{refuse}
// NEAR: error: recipe: trainable: there is no variable 'haed.bias'; did you mean head.bias?

// REDEFINE: %{recipe} = trainable=mea?
// REDEFINE: %{prefix} = STATISTIC
// RUN: %{refuse}
// STATISTIC: error: recipe: trainable: variable 'mea?' is not trainable: it is a buffer or a running statistic, or of a type that has no gradient

// REDEFINE: %{recipe} = optimizer=adamw no-decay=other*
// REDEFINE: %{prefix} = IDLE
// RUN: %{refuse}
// IDLE: error: recipe: no-decay: no variable matches 'other*'; there are head.weight, head.bias, body.weight

// REDEFINE: %{recipe} = freeze=[head
// REDEFINE: %{prefix} = GLOB
// RUN: %{refuse}
// GLOB: error: recipe: freeze: '[head' is no glob: {{.*}}; * stands for any characters, ? for one, [ab] for one of some

module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"head.weight", trainable>},
                              tensor<4xf32> {train.variable = #train.variable<"head.bias", trainable>},
                              tensor<4xf32> {train.variable = #train.variable<"body.weight", trainable>},
                              tensor<1xf32> {train.variable = #train.variable<"scale", other>},
                              tensor<4xf32> {train.variable = #train.variable<"mean", other>},
                              tensor<4xf32> {train.variable = #train.variable<"other.weight", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4xf32>
    %1 = onnx.Constant dense<1.0> : tensor<1xf32>
    return %0, %0, %0, %1, %0, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @forward(%w: tensor<4xf32> {train.variable = #train.variable<"head.weight", trainable>},
                     %b: tensor<4xf32> {train.variable = #train.variable<"head.bias", trainable>},
                     %v: tensor<4xf32> {train.variable = #train.variable<"body.weight", trainable>},
                     %s: tensor<1xf32> {train.variable = #train.variable<"scale", other>},
                     %m: tensor<4xf32> {train.variable = #train.variable<"mean", other>},
                     %o: tensor<4xf32> {train.variable = #train.variable<"other.weight", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<f32> {train.metric = "cost"}, tensor<f32> {train.metric = "another"}) {
    %y, %rm, %rv = onnx.BatchNormalization %x, %w, %b, %m, %m
      : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %0 = onnx.Mul %y, %v : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %1 = onnx.Mul %0, %s : (tensor<?x4xf32>, tensor<1xf32>) -> tensor<?x4xf32>
    %2 = onnx.ReduceMean %1 {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %3 = onnx.Mul %1, %o : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %4 = onnx.ReduceMean %3 {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    return %2, %4 : tensor<f32>, tensor<f32>
  }
}
