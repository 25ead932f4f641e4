// An update stands where its gradient is known and the old value has been read for the last time.
// RUN: dist-opt %s --lower-bind-variables --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// What communicates keeps its place; the update of %w does not wait for it, that of %v reads what it gives.
module {
  collective.group @world {size = 4 : i64}
  // CHECK-LABEL: @step
  // CHECK-SAME: (%[[W:[a-z0-9]+]]: memref<64xf32> {llvm.noalias}, %[[V:[a-z0-9]+]]: memref<64xf32> {llvm.noalias}, %[[X:[a-z0-9]+]]: memref<64xf32>
  func.func @step(%w: tensor<64xf32> {train.variable = #train.variable<"w", trainable>},
                  %v: tensor<64xf32> {train.variable = #train.variable<"v", trainable>}, %x: tensor<64xf32>)
      -> (tensor<64xf32> {train.variable = #train.variable<"w", trainable>}, tensor<64xf32> {train.variable = #train.variable<"v", trainable>}) {
    // CHECK-DAG: %[[WT:.*]] = bufferization.to_tensor %[[W]]
    // CHECK-DAG: %[[VT:.*]] = bufferization.to_tensor %[[V]]
    // CHECK: %[[G:.*]] = kernel.copy_blocks
    // The last reader of the old value, and then the update.
    // CHECK: %[[H:.*]] = kernel.copy_blocks(%[[WT]])
    // CHECK-NEXT: linalg.generic {{.*}} ins(%[[G]] : {{.*}}) outs(%[[WT]] :
    // CHECK: collective.all_reduce mean %[[H]]
    // CHECK: kernel.copy_blocks
    // CHECK: linalg.generic {{.*}} outs(%[[VT]] :
    %e0 = tensor.empty() : tensor<64xf32>
    %g = kernel.copy_blocks(%x) into(%e0) {bytes = 256 : i64} : (tensor<64xf32>) -> tensor<64xf32>
    %e1 = tensor.empty() : tensor<64xf32>
    %h = kernel.copy_blocks(%w) into(%e1) {bytes = 256 : i64} : (tensor<64xf32>) -> tensor<64xf32>
    %r = collective.all_reduce mean %h on @world : tensor<64xf32>
    %e2 = tensor.empty() : tensor<64xf32>
    %k = kernel.copy_blocks(%r) into(%e2) {bytes = 256 : i64} : (tensor<64xf32>) -> tensor<64xf32>
    %w1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%g : tensor<64xf32>) outs(%w : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.subf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %v1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%k : tensor<64xf32>) outs(%v : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.subf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    return %w1, %v1 : tensor<64xf32>, tensor<64xf32>
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// What updates make for each other comes with them: a direction, its size, and the size of the old value, read before that is
// overwritten. What else is computed stays after them.
// CHECK-LABEL: @step
// CHECK-SAME: (%[[W:[a-z0-9]+]]: memref<64xf32> {llvm.noalias}, %[[M:[a-z0-9]+]]: memref<64xf32>
func.func @step(%w: tensor<64xf32> {train.variable = #train.variable<"w", trainable>},
                %m: tensor<64xf32> {train.variable = #train.variable<"m", state>}, %x: tensor<64xf32>)
    -> (tensor<64xf32> {train.variable = #train.variable<"w", trainable>}, tensor<64xf32> {train.variable = #train.variable<"m", state>},
        tensor<64xf32> {train.output = "y"}) {
  // CHECK-DAG: %[[WT:.*]] = bufferization.to_tensor %[[W]]
  // CHECK-DAG: %[[MT:.*]] = bufferization.to_tensor %[[M]]
  // CHECK: %[[G:.*]] = kernel.copy_blocks
  // CHECK: %[[U:.*]]:2 = linalg.generic {{.*}} ins(%[[G]] : {{.*}}) outs(%[[MT]], %
  // CHECK: %[[OLD:.*]] = linalg.generic {{.*}} ins(%[[WT]] :
  // CHECK: linalg.generic {{.*}} ins(%[[U]]#1, %[[OLD]] : {{.*}}) outs(%[[WT]] :
  // CHECK: kernel.random
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64xf32>
  %g = kernel.copy_blocks(%x) into(%e0) {bytes = 256 : i64} : (tensor<64xf32>) -> tensor<64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %y = kernel.random() into(%e1) {a = 0.0 : f64, b = 1.0 : f64, distribution = 0 : i64, node = 0 : i64} : () -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<64xf32>
  %u:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%g : tensor<64xf32>) outs(%m, %e2 : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c, %a : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  %e3 = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%e3 : tensor<f32>) -> tensor<f32>
  %old = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%w : tensor<64xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  %w1 = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"]} ins(%u#1, %old : tensor<64xf32>, tensor<f32>) outs(%w : tensor<64xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %c = arith.mulf %a, %s : f32
    %d = arith.subf %b, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  return %w1, %u#0, %y : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// In a loop over micro-batches, too: what is summed is added before the next of it is made.
// CHECK-LABEL: @step
func.func @step(%w: tensor<64xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<64xf32>)
    -> (tensor<64xf32> {train.variable = #train.variable<"w", trainable>}) {
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
  // CHECK: kernel.copy_blocks
  // CHECK-NEXT: linalg.generic {{.*}} outs(%[[A]] :
  // CHECK: kernel.copy_blocks
  // CHECK: linalg.generic {{.*}} outs(%[[B]] :
  // CHECK: scf.yield
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = tensor.empty() : tensor<64xf32>
  %sums:2 = scf.for %i = %zero to %two step %one iter_args(%a = %s0, %b = %s1) -> (tensor<64xf32>, tensor<64xf32>) {
    %e0 = tensor.empty() : tensor<64xf32>
    %g = kernel.copy_blocks(%x) into(%e0) {bytes = 256 : i64} : (tensor<64xf32>) -> tensor<64xf32>
    %e1 = tensor.empty() : tensor<64xf32>
    %h = kernel.copy_blocks(%x) into(%e1) {bytes = 256 : i64} : (tensor<64xf32>) -> tensor<64xf32>
    %a1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%g : tensor<64xf32>) outs(%a : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32):
      %c = arith.addf %q, %p : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%h : tensor<64xf32>) outs(%b : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32):
      %c = arith.addf %q, %p : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    scf.yield %a1, %b1 : tensor<64xf32>, tensor<64xf32>
  }
  %w1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%sums#0, %sums#1 : tensor<64xf32>, tensor<64xf32>) outs(%w : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %c = arith.addf %q, %p : f32
    %d = arith.subf %r, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  return %w1 : tensor<64xf32>
}
