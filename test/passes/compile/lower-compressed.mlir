// A compressed gradient is narrowed by the loop that makes it, or by one loop after what makes it, and widened by the
// optimizer's. Nothing is copied.
// RUN: dist-opt %s --compile --mlir-print-ir-after=lower-plan-memory -o /dev/null 2>&1 | FileCheck %s

#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
#x = #train.variable<"x", other>
#a = #train.variable<"a", other>
#b = #train.variable<"b", other>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @initialize() -> (tensor<8xf32> {train.variable = #w}, tensor<8x10xf32> {train.variable = #v}, tensor<8xf32> {train.variable = #x},
                              tensor<8x16xf32> {train.variable = #a}, tensor<16x10xf32> {train.variable = #b}) {
    %w = arith.constant dense<1.0> : tensor<8xf32>
    %v = arith.constant dense<1.0> : tensor<8x10xf32>
    %x = arith.constant dense<2.0> : tensor<8xf32>
    %a = arith.constant dense<1.0> : tensor<8x16xf32>
    %b = arith.constant dense<1.0> : tensor<16x10xf32>
    return %w, %v, %x, %a, %b : tensor<8xf32>, tensor<8x10xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x10xf32>
  }
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[W:.*]]: memref<8xf32> {llvm.noalias}, %[[V:.*]]: memref<8x10xf32> {llvm.noalias}, %[[X:.*]]: memref<8xf32> {llvm.noalias}
  func.func @step(%w: tensor<8xf32> {train.variable = #w}, %v: tensor<8x10xf32> {train.variable = #v},
                  %x: tensor<8xf32> {train.variable = #x}, %a: tensor<8x16xf32> {train.variable = #a}, %b: tensor<16x10xf32> {train.variable = #b},
                  %y: tensor<?xi64> {train.input = #train.input<"y", @data>}, %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<8xf32> {train.variable = #w}, tensor<8x10xf32> {train.variable = #v}, tensor<8xf32> {train.variable = #x},
          tensor<8x16xf32> {train.variable = #a}, tensor<16x10xf32> {train.variable = #b}) {
    %quarter = arith.constant dense<2.5e-1> : tensor<f32>
    // CHECK-NOT: memref.copy
    // CHECK: linalg.generic {{.*}} ins(%[[W]], %[[X]] : memref<8xf32>, memref<8xf32>) outs(%[[NW:.*]] : memref<8xbf16
    // CHECK: arith.mulf
    // CHECK: arith.mulf
    // CHECK: arith.truncf
    // CHECK-NOT: linalg.generic
    // CHECK: collective.all_reduce sum %[[NW]] into %[[NW]] on @world
    %g = arith.mulf %w, %x : tensor<8xf32>
    %gm = train.scale %g by %quarter : tensor<8xf32>, tensor<f32>
    %gn = arith.truncf %gm {collective.wire} : tensor<8xf32> to tensor<8xbf16>
    %gs = collective.all_reduce sum %gn on @world : tensor<8xbf16>
    %gr = arith.extf %gs {collective.wire} : tensor<8xbf16> to tensor<8xf32>
    // CHECK-NOT: memref.copy
    // CHECK: linalg.generic {{.*}} ins(%[[NW]], %{{.*}} : {{.*}}) outs(%[[W]] : memref<8xf32>)
    // CHECK: arith.extf
    // CHECK: linalg.yield
    %w1 = train.sgd %w gradient %gr rate %lr : tensor<8xf32>, tensor<f32>
    // CHECK-NOT: memref.copy
    // CHECK: kernel.matmul({{.*}}) into(
    // CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<8x10xf32>) outs(%[[NV:.*]] : memref<8x10xbf16
    // CHECK: arith.mulf
    // CHECK: arith.truncf
    // CHECK-NOT: linalg.generic
    // CHECK: collective.all_reduce sum %[[NV]] into %[[NV]] on @world
    %h = onnx.MatMul %a, %b : (tensor<8x16xf32>, tensor<16x10xf32>) -> tensor<8x10xf32>
    %hm = train.scale %h by %quarter : tensor<8x10xf32>, tensor<f32>
    %hn = arith.truncf %hm {collective.wire} : tensor<8x10xf32> to tensor<8x10xbf16>
    %hs = collective.all_reduce sum %hn on @world : tensor<8x10xbf16>
    %hr = arith.extf %hs {collective.wire} : tensor<8x10xbf16> to tensor<8x10xf32>
    // CHECK: linalg.generic {{.*}} ins(%[[NV]], %{{.*}} : {{.*}}) outs(%[[V]] : memref<8x10xf32>)
    // CHECK: arith.extf
    // CHECK-NOT: linalg.generic
    // CHECK-NOT: memref.copy
    // CHECK: return
    %v1 = train.sgd %v gradient %hr rate %lr : tensor<8x10xf32>, tensor<f32>
    return %w1, %v1, %x, %a, %b : tensor<8xf32>, tensor<8x10xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x10xf32>
  }
}
