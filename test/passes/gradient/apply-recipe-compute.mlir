// Operators that run in 16 bits stand between casts; what moves elements between two of them needs none.
// RUN: dist-opt %s --train-apply-recipe="loss=output compute=bf16" | FileCheck %s
// RUN: dist-opt %s --train-apply-recipe="loss=output compute=bf16 wide=second" | FileCheck %s --check-prefix=WIDE
// RUN: dist-opt %s --train-apply-recipe="loss=output compute=f16 narrow=Mul" | FileCheck %s --check-prefix=MUL
// RUN: dist-opt %s --train-apply-recipe="loss=output compute=bf16" --remarks-filter=train-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not dist-opt %s --train-apply-recipe="loss=output compute=bf16 narrow=Conv" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dist-opt %s --train-apply-recipe="loss=output wide=second" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not dist-opt %s --train-apply-recipe="loss=output compute=bf16 narrow=Matmul" 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not dist-opt %s --train-apply-recipe="loss=output compute=bf16 wide=secnd" 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not dist-opt %s --train-apply-recipe="loss=output compute=bf16 wide=norm*" 2>&1 | FileCheck %s --check-prefix=GLOB

// REMARK-COUNT-2: onnx.MatMul is computed in bf16
// NONE: recipe: compute: @step has no Conv of f32 that could run in 16 bits
// TYPO: recipe: narrow: there is no operator 'Matmul'; did you mean MatMul?
// NODE: recipe: wide: there is no node 'secnd'; did you mean second?
// GLOB: recipe: wide: no node matches 'norm*'; there are
// ALONE: recipe: wide needs compute=bf16 or compute=f16

#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
module attributes {train.program} {
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #w}, tensor<4x2xf32> {train.variable = #v}) {
    %w = arith.constant dense<1.0> : tensor<4x4xf32>
    %v = arith.constant dense<1.0> : tensor<4x2xf32>
    return %w, %v : tensor<4x4xf32>, tensor<4x2xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[W:.*]]: tensor<4x4xf32> {{.*}}, %[[V:.*]]: tensor<4x2xf32> {{.*}}, %[[X:.*]]: tensor<?x4xf32>
  // CHECK-DAG: %[[XH:.*]] = onnx.Cast %[[X]] {to = bf16}
  // CHECK-DAG: %[[WH:.*]] = onnx.Cast %[[W]] {to = bf16}
  // CHECK-DAG: %[[VH:.*]] = onnx.Cast %[[V]] {to = bf16}
  // CHECK: %[[P:.*]] = onnx.MatMul %[[XH]], %[[WH]] : (tensor<?x4xbf16>, tensor<4x4xbf16>) -> tensor<?x4xbf16>
  // CHECK: %[[R:.*]] = onnx.Relu %[[P]] : (tensor<?x4xbf16>) -> tensor<?x4xbf16>
  // CHECK: %[[S:.*]] = onnx.MatMul %[[R]], %[[VH]]
  // CHECK: %[[BACK:.*]] = onnx.Cast %[[S]] {to = f32}
  // CHECK: onnx.Mul %[[BACK]], %[[BACK]] : (tensor<?x2xf32>
  // CHECK: train.gradient

  // WIDE-LABEL: func.func @step
  // WIDE: onnx.Relu %{{.*}} : (tensor<?x4xbf16>) -> tensor<?x4xbf16>
  // WIDE: onnx.MatMul %{{.*}} : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>

  // MUL-LABEL: func.func @step
  // MUL: onnx.MatMul %{{.*}} : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  // MUL: onnx.Mul %{{.*}} : (tensor<?x2xf16>, tensor<?x2xf16>) -> tensor<?x2xf16>

  // Evaluation is not trained.
  // CHECK-NOT: bf16
  func.func @forward(%w: tensor<4x4xf32> {train.variable = #w}, %v: tensor<4x2xf32> {train.variable = #v},
                     %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.output = "loss"}) {
    %p = onnx.MatMul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %r = onnx.Relu %p : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %s = onnx.MatMul %r, %v : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32> loc("second")
    %q = onnx.Mul %s, %s : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %loss = onnx.ReduceMean %q {keepdims = 0 : i64} : (tensor<?x2xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
