// The optimizers of train-apply-recipe: operations, states and their names, the step counter, PyTorch's defaults.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = dist-opt %s --train-apply-recipe="%{recipe}" | FileCheck %s --check-prefix=%{prefix}

// REDEFINE: %{recipe} = optimizer=sgd weight-decay=0.25
// REDEFINE: %{prefix} = SGD
// RUN: %{check}
// SGD: #train.hyperparameter<"learning_rate", 1.000000e-03 : f64>
// SGD: train.sgd {{.*}} {norm_coefficient = 2.500000e-01 : f32}

// REDEFINE: %{recipe} = optimizer=momentum
// REDEFINE: %{prefix} = MOMENTUM
// RUN: %{check}
// MOMENTUM-LABEL: func.func @initialize
// MOMENTUM-SAME: "w", trainable>}, tensor<4x3xf32> {train.variable = #train.variable<"w.momentum", state>}
// MOMENTUM-NOT: "step"
// MOMENTUM: arith.constant dense<0.000000e+00> : tensor<4x3xf32>
// MOMENTUM-LABEL: func.func @step
// MOMENTUM-SAME: %[[W:[a-z0-9]+]]: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}
// MOMENTUM-SAME: %[[V:[a-z0-9]+]]: tensor<4x3xf32> {train.variable = #train.variable<"w.momentum", state>}
// MOMENTUM: %[[NW:.+]], %[[NV:.+]] = train.momentum %[[W]] gradient %{{.+}} velocity %[[V]] rate %[[R:[a-z0-9]+]] {alpha = 0.899999976 : f32}
// MOMENTUM: return %[[NW]], %[[NV]], %
// MOMENTUM-LABEL: func.func @evaluate
// MOMENTUM-NOT: state

// REDEFINE: %{recipe} = optimizer=sgd momentum=0.5 nesterov=true
// REDEFINE: %{prefix} = NESTEROV
// RUN: %{check}
// NESTEROV: train.momentum {{.*}}alpha = 5.000000e-01 : f32, mode = {{1|nesterov|#train}}

// With dampening the first step is special, so steps are counted; the operation reads the count before the step.
// REDEFINE: %{recipe} = optimizer=sgd momentum=0.5 dampening=0.25
// REDEFINE: %{prefix} = DAMPED
// RUN: %{check}
// DAMPED-LABEL: func.func @initialize
// DAMPED-SAME: tensor<i64> {train.variable = #train.variable<"step", other>}
// DAMPED: arith.constant dense<0> : tensor<i64>
// DAMPED-LABEL: func.func @step
// DAMPED-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {train.variable = #train.variable<"step", other>}
// DAMPED: %[[ONE:.+]] = arith.constant dense<1> : tensor<i64>
// DAMPED: %[[NEXT:.+]] = arith.addi %[[T]], %[[ONE]]
// DAMPED: train.momentum {{.*}} step %[[T]] {alpha = 5.000000e-01 : f32, beta = 7.500000e-01 : f32}
// DAMPED: return %{{.+}}, %{{.+}}, %[[NEXT]], %

// REDEFINE: %{recipe} = optimizer=adagrad
// REDEFINE: %{prefix} = ADAGRAD
// RUN: %{check}
// ADAGRAD: #train.variable<"w.sum", state>
// ADAGRAD: #train.hyperparameter<"learning_rate", 1.000000e-02 : f64>
// ADAGRAD: train.adagrad {{.*}} {epsilon = 1.000000e-10 : f32}

// REDEFINE: %{recipe} = optimizer=adagrad learning-rate-decay=0.5 epsilon=1e-3
// REDEFINE: %{prefix} = DECAY
// RUN: %{check}
// DECAY: train.adagrad {{.*}} step %{{[a-z0-9]+}} {decay_factor = 5.000000e-01 : f32, epsilon = 1.000000e-03 : f32}

// Adam counts from one: it reads the count after the step.
// REDEFINE: %{recipe} = optimizer=adam beta1=0.5 beta2=0.75 epsilon=0.125 weight-decay=0.25
// REDEFINE: %{prefix} = ADAM
// RUN: %{check}
// ADAM: "w", trainable>}, tensor<4x3xf32> {train.variable = #train.variable<"w.exp_avg", state>}, tensor<4x3xf32> {train.variable = #train.variable<"w.exp_avg_sq", state>}, tensor<i64> {train.variable = #train.variable<"step", other>}
// ADAM: %[[NEXT:.+]] = arith.addi
// ADAM: train.adam {{.*}} step %[[NEXT]] {alpha = 5.000000e-01 : f32, beta = 7.500000e-01 : f32, epsilon = 1.250000e-01 : f32, norm_coefficient = 2.500000e-01 : f32}

// REDEFINE: %{recipe} = optimizer=adamw
// REDEFINE: %{prefix} = ADAMW
// RUN: %{check}
// ADAMW: train.adamw
// ADAMW-NOT: weight_decay = 0.0

// The pipeline takes the same keys and leaves no gradient.
// RUN: dist-opt %s --train="optimizer=adam learning-rate=0.5" | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: #train.hyperparameter<"learning_rate", 5.000000e-01 : f64>
// PIPELINE-NOT: train.gradient
// PIPELINE: train.adam
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>}) {
    %0 = onnx.Constant dense<1.0> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @forward(%w: tensor<4x3xf32> {train.variable = #train.variable<"w", trainable>},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?x3xf32> {train.output = "y"}) {
    %0 = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}
