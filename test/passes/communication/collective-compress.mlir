// Gradients are summed as 16-bit floats, scaled before and widened after; everything else stays, with a remark.
// RUN: dist-opt %s --collective-compress="type=bf16 min-bytes=16" --split-input-file | FileCheck %s
// RUN: dist-opt %s --collective-compress="type=bf16 min-bytes=16" --collective-compress="type=bf16 min-bytes=16" --split-input-file | FileCheck %s
// RUN: dist-opt %s --collective-compress="type=bf16 min-bytes=16" --split-input-file --remarks-filter=collective-compress --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dist-opt %s --collective-compress="type=f16" --split-input-file | FileCheck %s --check-prefix=HALF

#a = #train.variable<"fc.weight", trainable>
#b = #train.variable<"fc.bias", trainable>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4x4xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}) {
    %a = arith.constant dense<1.0> : tensor<4x4xf32>
    %b = arith.constant dense<1.0> : tensor<2xf32>
    return %a, %b : tensor<4x4xf32>, tensor<2xf32>
  }
  // One over the number of ranks is computed once.
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: (%[[A:.*]]: tensor<4x4xf32> {{{.*}}}, %[[B:.*]]: tensor<2xf32> {{{.*}}}, %[[DA:.*]]: tensor<4x4xf32>, %[[DB:.*]]: tensor<2xf32>, %[[LOSS:.*]]: tensor<f32>, %[[COUNT:.*]]: tensor<8xi64>, %[[LR:.*]]: tensor<f32>
  // CHECK-NEXT: %[[SIZE:.*]] = collective.size on @world : index
  // CHECK-NEXT: %[[INTEGER:.*]] = arith.index_cast %[[SIZE]] : index to i64
  // CHECK-NEXT: %[[RANKS:.*]] = arith.sitofp %[[INTEGER]] : i64 to f32
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[RANKS]] : f32
  // CHECK-NEXT: %[[FACTOR:.*]] = tensor.from_elements %[[INVERSE]] : tensor<f32>
  // REMARK: gradient of "fc.weight" travels as bf16 instead of f32: 32 bytes instead of 64
  // REMARK: gradient of "fc.bias" stays f32 on the wire: its 8 bytes are fewer than min-bytes=16
  // REMARK: all_reduce of tensor<f32> stays f32 on the wire: it is no gradient
  // REMARK: all_reduce of tensor<8xi64> stays i64 on the wire: integers are summed exactly
  func.func @step(%a: tensor<4x4xf32> {train.variable = #a}, %b: tensor<2xf32> {train.variable = #b},
                  %da: tensor<4x4xf32>, %db: tensor<2xf32>, %loss: tensor<f32>, %count: tensor<8xi64>,
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4x4xf32> {train.variable = #a}, tensor<2xf32> {train.variable = #b}, tensor<f32>, tensor<8xi64>) {
    // CHECK-NEXT: %[[MEAN:.*]] = train.scale %[[DA]] by %[[FACTOR]] : tensor<4x4xf32>, tensor<f32>
    // CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[MEAN]] {collective.wire} : tensor<4x4xf32> to tensor<4x4xbf16>
    // CHECK-NEXT: %[[SUM:.*]] = collective.all_reduce sum %[[NARROW]] on @world : tensor<4x4xbf16>
    %ra = collective.all_reduce mean %da on @world : tensor<4x4xf32>
    // CHECK-NEXT: %[[RB:.*]] = collective.all_reduce mean %[[DB]] on @world : tensor<2xf32>
    %rb = collective.all_reduce mean %db on @world : tensor<2xf32>
    // Widened where it is used: until then other reductions can join it.
    // CHECK-NEXT: %[[RA:.*]] = arith.extf %[[SUM]] {collective.wire} : tensor<4x4xbf16> to tensor<4x4xf32>
    // CHECK-NEXT: train.sgd %[[A]] gradient %[[RA]]
    %a1 = train.sgd %a gradient %ra rate %lr : tensor<4x4xf32>, tensor<f32>
    // CHECK: train.sgd %[[B]] gradient %[[RB]]
    %b1 = train.sgd %b gradient %rb rate %lr : tensor<2xf32>, tensor<f32>
    // CHECK: collective.all_reduce mean %[[LOSS]] on @world : tensor<f32>
    %l = collective.all_reduce mean %loss on @world : tensor<f32>
    // CHECK: collective.all_reduce sum %[[COUNT]] on @world : tensor<8xi64>
    %c = collective.all_reduce sum %count on @world : tensor<8xi64>
    return %a1, %b1, %l, %c : tensor<4x4xf32>, tensor<2xf32>, tensor<f32>, tensor<8xi64>
  }
  // HALF-LABEL: func.func @step
  // HALF-COUNT-2: collective.all_reduce sum %{{.*}} on @world : tensor<{{.*}}xf16>
  // HALF-NOT: bf16
}

// -----

// A sum is not scaled. What is done between reduction and update, and marks, do not hide a gradient.
// CHECK-LABEL: func.func @chain
// REMARK: gradient travels as bf16 instead of f32: 16 bytes instead of 32
// REMARK: marked gradient travels as bf16 instead of f32
collective.group @world
func.func @chain(%w: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<?xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>) {
  // CHECK-NOT: train.scale
  // CHECK: arith.truncf %{{.*}} {collective.wire} : tensor<8xf32> to tensor<8xbf16>
  // CHECK-NEXT: collective.all_reduce sum %{{.*}} on @world : tensor<8xbf16>
  // CHECK-NEXT: arith.extf %{{.*}} {collective.wire} : tensor<8xbf16> to tensor<8xf32>
  %r = collective.all_reduce sum %g on @world : tensor<8xf32>
  %u = train.unscale %r by %s : tensor<8xf32>
  %n = train.global_norm %u : tensor<8xf32>
  %c = train.clip %u norm %n {max_norm = 1.0 : f32} : tensor<8xf32>
  %0 = train.sgd %w gradient %c rate %s : tensor<8xf32>, tensor<f32>
  // CHECK: collective.all_reduce sum %{{.*}} on @world : tensor<?xbf16>
  %q = collective.all_reduce sum %m on @world : tensor<?xf32>
  %1 = train.mark_gradient %q : tensor<?xf32>
  return %0, %1 : tensor<8xf32>, tensor<?xf32>
}

// -----

// A bucket is parted into what travels narrow and what does not. Each rank's part of a sum is a gradient too.
// CHECK-LABEL: func.func @bucket
// CHECK-SAME: (%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<8xf32>, %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>
collective.group @world {size = 2 : i64}
func.func @bucket(%v: tensor<4xf32>, %w: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[N:.*]] = arith.truncf %{{.*}} {collective.wire} : tensor<8xf32> to tensor<8xbf16>
  // CHECK-NEXT: %[[S:.*]] = collective.all_reduce sum %[[N]] on @world : tensor<8xbf16>
  // CHECK-NEXT: %[[K:.*]]:2 = collective.all_reduce mean %[[B]], %[[C]] on @world : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[W:.*]] = arith.extf %[[S]] {collective.wire}
  %r:3 = collective.all_reduce mean %b, %a, %c on @world : tensor<4xf32>, tensor<8xf32>, tensor<4xf32>
  // CHECK-NEXT: train.sgd %{{.*}} gradient %[[W]]
  %w1 = train.sgd %w gradient %r#1 rate %lr : tensor<8xf32>, tensor<f32>
  // CHECK: collective.reduce_scatter sum %{{.*}} along 0 on @world : tensor<8xbf16> -> tensor<4xbf16>
  %p = collective.reduce_scatter mean %a along 0 on @world : tensor<8xf32> -> tensor<4xf32>
  %v1 = train.sgd %v gradient %p rate %lr : tensor<4xf32>, tensor<f32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[K]]#0, %[[K]]#1
  return %w1, %v1, %r#0, %r#2 : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @kept
// REMARK: gradient stays f16 on the wire: it is that narrow already
// REMARK: gradient stays f32 on the wire: only sums and means are compressed
// REMARK: gradient stays f32 on the wire: it is asynchronous: compress before collective-overlap
collective.group @world
func.func @kept(%v: tensor<8xf16>, %w: tensor<8xf32>, %g: tensor<8xf16>, %h: tensor<8xf32>, %s: tensor<f16>, %t: tensor<f32>) -> (tensor<8xf16>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NOT: arith.truncf
  %0 = collective.all_reduce mean %g on @world : tensor<8xf16>
  %v1 = train.sgd %v gradient %0 rate %s : tensor<8xf16>, tensor<f16>
  %1 = collective.all_reduce max %h on @world : tensor<8xf32>
  %w1 = train.sgd %w gradient %1 rate %t : tensor<8xf32>, tensor<f32>
  %f = collective.async {
    %2 = collective.all_reduce mean %h on @world : tensor<8xf32>
    collective.yield %2 : tensor<8xf32>
  } : !collective.future<tensor<8xf32>>
  %3 = collective.await %f : !collective.future<tensor<8xf32>>
  %w2 = train.sgd %w gradient %3 rate %t : tensor<8xf32>, tensor<f32>
  return %v1, %w1, %w2 : tensor<8xf16>, tensor<8xf32>, tensor<8xf32>
}
