// Schedules: the rate of a step is computed in the step, of the number of steps done, and is a metric.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = dist-opt %s --train-apply-recipe="%{recipe}" | FileCheck %s --check-prefix=%{prefix}

// Nothing is counted or added without a schedule.
// REDEFINE: %{recipe} = schedule=constant
// REDEFINE: %{prefix} = CONSTANT
// RUN: %{check}
// CONSTANT-NOT: "step"
// CONSTANT-LABEL: func.func @step
// CONSTANT-SAME: %[[R:[a-z0-9]+]]: tensor<f32> {train.hyperparameter
// CONSTANT-NOT: train.metric = "learning_rate"
// CONSTANT: train.sgd {{.*}} rate %[[R]]

// REDEFINE: %{recipe} = schedule=constant warmup-steps=5
// REDEFINE: %{prefix} = WARMUP
// RUN: %{check}
// WARMUP-LABEL: func.func @initialize
// WARMUP-SAME: #train.variable<"step", other>
// WARMUP-LABEL: func.func @step
// WARMUP-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {train.variable = #train.variable<"step", other>}
// WARMUP-SAME: %[[R:[a-z0-9]+]]: tensor<f32> {train.hyperparameter
// WARMUP-SAME: tensor<f32> {train.metric = "loss"}, tensor<f32> {train.metric = "learning_rate"})
// WARMUP: %[[NEXT:.+]] = arith.addi %[[T]]
// WARMUP: %[[WIDE:.+]] = onnx.Cast %[[T]] {to = f64}
// WARMUP: onnx.Constant dense<5.000000e+00> : tensor<f64>
// WARMUP: %[[RISING:.+]] = onnx.Div %[[WIDE]]
// WARMUP: onnx.Min %[[RISING]]
// WARMUP: %[[FACTOR:.+]] = onnx.Cast {{.*}} {to = f32}
// WARMUP: %[[RATE:.+]] = onnx.Mul %[[R]], %[[FACTOR]]
// WARMUP: train.sgd {{.*}} rate %[[RATE]]
// WARMUP: return %{{.+}}, %[[NEXT]], %{{.+}}, %[[RATE]]

// REDEFINE: %{recipe} = schedule=cosine warmup-steps=5 total-steps=25
// REDEFINE: %{prefix} = COSINE
// RUN: %{check}
// COSINE: onnx.Constant dense<2.000000e+01> : tensor<f64>
// COSINE: onnx.Cos

// REDEFINE: %{recipe} = schedule=linear total-steps=25
// REDEFINE: %{prefix} = LINEAR
// RUN: %{check}
// LINEAR: onnx.Constant dense<2.500000e+01> : tensor<f64>
// LINEAR: onnx.Div
// LINEAR: onnx.Min
// LINEAR: onnx.Sub

// REDEFINE: %{recipe} = schedule=step step-size=3 gamma=0.5
// REDEFINE: %{prefix} = STEP
// RUN: %{check}
// STEP: onnx.Constant dense<3.000000e+00> : tensor<f64>
// STEP: onnx.Floor
// STEP: onnx.Pow

// The rates of a file are multiplied by the learning rate, which is 1 without another.
// RUN: printf '# steps and rates\n0 0.5\n10, 0.25\n20\t0.125 # last\n' > %t
// REDEFINE: %{recipe} = schedule=file:%t
// REDEFINE: %{prefix} = TABLE
// RUN: %{check}
// TABLE: #train.hyperparameter<"learning_rate", 1.000000e+00 : f64>
// TABLE: onnx.Constant dense<[0.000000e+00, 1.000000e+01, 2.000000e+01]> : tensor<3xf64>
// TABLE: onnx.LessOrEqual
// TABLE: onnx.ReduceSum
// TABLE: onnx.Constant dense<[5.000000e-01, 2.500000e-01, 1.250000e-01]> : tensor<3xf64>
// TABLE: onnx.Gather

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
