// Functions of values become functions on buffers; variables are updated where they stand.
// RUN: dist-opt %s --lower-bind-variables --split-input-file | FileCheck %s

// CHECK-LABEL: @initialize(
// CHECK-SAME: %[[A:.*]]: memref<4xf32> {llvm.noalias}, %[[B:.*]]: memref<f32> {llvm.noalias}, %{{.*}}: memref<?xi8> {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK-SAME: kernel.inputs = 0 : i64, kernel.results = 0 : i64, kernel.variables = 2 : i64
// CHECK-LABEL: @step(
// CHECK-SAME: %[[W:.*]]: memref<4xf32> {llvm.noalias}, %[[T:.*]]: memref<f32> {llvm.noalias}, %[[X:.*]]: memref<4xf32> {llvm.noalias}, %[[LOSS:.*]]: memref<f32> {llvm.noalias}, %{{.*}}: memref<?xi8> {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK-SAME: kernel.inputs = 1 : i64, kernel.results = 1 : i64, kernel.variables = 2 : i64
module attributes {train.program} {
  train.dataset @data
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.variable = #train.variable<"t", other>}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %t = arith.constant dense<2.0> : tensor<f32>
    return %w, %t : tensor<4xf32>, tensor<f32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %t: tensor<f32> {train.variable = #train.variable<"t", other>},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.variable = #train.variable<"t", other>}, tensor<f32> {train.metric = "loss"}) {
    // CHECK-DAG: %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict writable
    // CHECK-DAG: %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict :
    // CHECK-DAG: %[[LT:.*]] = bufferization.to_tensor %[[LOSS]] restrict writable
    // The variable is the destination of what updates it, and so is the metric's buffer.
    // CHECK-DAG: %[[N:.*]] = kernel.copy_blocks(%[[XT]]) into(%[[WT]])
    %e = tensor.empty() : tensor<4xf32>
    %n = kernel.copy_blocks(%x) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[L:.*]] = kernel.random() into(%[[LT]])
    %f = tensor.empty() : tensor<f32>
    %l = kernel.random() into(%f) {a = 0.0 : f64, b = 1.0 : f64, distribution = 0 : i64, node = 0 : i64} : () -> tensor<f32>
    // A variable that does not change is not stored.
    // CHECK-NOT: materialize_in_destination {{.*}} in restrict writable %[[T]]
    // CHECK: bufferization.materialize_in_destination %[[N]] in restrict writable %[[W]]
    // CHECK: bufferization.materialize_in_destination %[[L]] in restrict writable %[[LOSS]]
    // CHECK: return{{$}}
    return %n, %t, %l : tensor<4xf32>, tensor<f32>, tensor<f32>
  }
}

// -----

// The update moves after the last reader of the old value.
// CHECK-LABEL: @step
func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<4xf32> {train.output = "y"}) {
  // CHECK: kernel.copy_blocks
  // CHECK: kernel.copy_blocks{{.*}}keeps
  %n = kernel.copy_blocks(%g) into(%w) {bytes = 16 : i64, keeps} : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = kernel.copy_blocks(%w) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %n, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two variables change places: each is copied away before any is overwritten.
// CHECK-LABEL: @step
func.func @step(%a: tensor<4xf32> {train.variable = #train.variable<"a", other>}, %b: tensor<4xf32> {train.variable = #train.variable<"b", other>})
    -> (tensor<4xf32> {train.variable = #train.variable<"a", other>}, tensor<4xf32> {train.variable = #train.variable<"b", other>}) {
  // CHECK: bufferization.alloc_tensor() copy
  // CHECK: bufferization.alloc_tensor() copy
  // CHECK: bufferization.materialize_in_destination
  // CHECK: bufferization.materialize_in_destination
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// A broadcast finds its input in the variable's place already.
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  // CHECK-LABEL: @initialize
  // CHECK-SAME: (%[[W:.*]]: memref<4xf32>
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    // CHECK: %[[WT:.*]] = bufferization.to_tensor %[[W]]
    // CHECK: %[[C:.*]] = arith.constant
    %w = arith.constant dense<1.0> : tensor<4xf32>
    // CHECK: %[[P:.*]] = bufferization.materialize_in_destination %[[C]] in %[[WT]]
    // CHECK: collective.broadcast %[[P]] from 0 on @world
    %0 = collective.broadcast %w from 0 on @world : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// An elementwise loop takes over an input that nothing needs any more; a shared empty tensor is divided.
// CHECK-LABEL: @evaluate
func.func @evaluate(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // CHECK: %[[P:.*]] = kernel.copy_blocks
  // CHECK: linalg.exp ins(%[[P]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
  // CHECK: linalg.generic {{.*}} outs(%[[E:.*]] : tensor<4xf32>)
  %e = tensor.empty() : tensor<4xf32>
  %p = kernel.copy_blocks(%x) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %q = linalg.exp ins(%p : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%q : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<4xf32>
  %s = tensor.expand_shape %r [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}
