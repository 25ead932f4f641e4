// Sources of random numbers, of any dialect: each rank's own vary, whatever they are computed from; those that all ranks draw
// alike follow their operands.
// RUN: dist-opt %s --allow-unregistered-dialect --distribute-print-uniformity -o /dev/null | FileCheck %s

// CHECK-LABEL: @draw
func.func @draw(
    // CHECK: uniform argument %[[KEY:.*]]
    %key: i64 {train.random = #train.random<replicate>},
    // CHECK: varying argument %[[NOISE:.*]]
    %noise: tensor<4xf32> {train.random = #train.random<per_rank>},
    // CHECK: varying argument
    %g: tensor<4xf32> {train.gradient = "w"}, %u: tensor<4xf32> {train.variable = #train.variable<"u", other>}) {
  // CHECK: varying %{{.*}} = "acme.draw"
  %0 = "acme.draw"(%key) {train.random = #train.random<per_rank>} : (i64) -> tensor<4xf32>
  // CHECK: uniform %{{.*}} = "acme.draw"
  %1 = "acme.draw"(%key) {train.random = #train.random<replicate>} : (i64) -> tensor<4xf32>
  // CHECK: varying %{{.*}} = "acme.draw"
  %2 = "acme.draw"(%noise) {train.random = #train.random<replicate>} : (tensor<4xf32>) -> tensor<4xf32>
  // Of an operation that is known to compute the same everywhere, too.
  // CHECK: varying %{{.*}} = arith.addf
  %3 = arith.addf %u, %1 {train.random = #train.random<per_rank>} : tensor<4xf32>
  // CHECK: uniform %{{.*}} = onnx.RandomNormal
  %4 = onnx.RandomNormal {shape = array<i64: 4>, seed = 1.0 : f32} : tensor<4xf32>
  // CHECK: varying %{{.*}} = onnx.RandomNormal
  %5 = onnx.RandomNormal {shape = array<i64: 4>, seed = 1.0 : f32, train.random = #train.random<per_rank>} : tensor<4xf32>
  // An operation that answers for itself is believed where it says that ranks differ.
  // CHECK: varying %{{.*}} = onnx.RandomNormal
  %6 = onnx.RandomNormal {shape = array<i64: 4>, train.random = #train.random<replicate>} : tensor<4xf32>
  // CHECK: varying %{{.*}} = collective.local_rank
  %7 = collective.local_rank {train.random = #train.random<replicate>} : index
  return
}
