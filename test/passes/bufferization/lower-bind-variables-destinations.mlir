// Who writes where: into the buffer of the result where that overwrites nothing that is still read.
// RUN: dist-opt %s --lower-bind-variables --split-input-file | FileCheck %s

// A branch that makes a new value writes it where the old one stands, which the other branch leaves there.
// CHECK-LABEL: @step
// CHECK-SAME: (%[[W:[a-z0-9]+]]: memref<4xf32>
func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %c: tensor<i1> {train.variable = #train.variable<"c", other>})
    -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<i1> {train.variable = #train.variable<"c", other>}) {
  // CHECK: %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict writable
  // CHECK: scf.if
  // CHECK: %[[N:.*]] = kernel.random() into(%[[WT]])
  // CHECK-NEXT: scf.yield %[[N]]
  // CHECK: scf.yield %[[WT]]
  %counts = tensor.extract %c[] : tensor<i1>
  %n = scf.if %counts -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %a = kernel.random() into(%e) {a = 0.0 : f64, b = 1.0 : f64, distribution = 0 : i64, node = 0 : i64} : () -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %n, %c : tensor<4xf32>, tensor<i1>
}

// -----

// The runtime gets metrics before outputs. A value that is returned twice is written once and copied to the other.
// CHECK-LABEL: @step
// CHECK-SAME: (%{{.*}}: memref<4xf32> {llvm.noalias}, %[[M:.*]]: memref<f32> {llvm.noalias}, %[[Y:.*]]: memref<4xf32> {llvm.noalias}, %[[Z:.*]]: memref<4xf32> {llvm.noalias}
// CHECK-SAME: kernel.inputs = 1 : i64, kernel.results = 3 : i64, kernel.variables = 0 : i64
func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32> {train.output = "y"}, tensor<f32> {train.metric = "m"}, tensor<4xf32> {train.output = "z"}) {
  // CHECK-DAG: %[[YT:.*]] = bufferization.to_tensor %[[Y]] restrict writable
  // CHECK-DAG: %[[MT:.*]] = bufferization.to_tensor %[[M]] restrict writable
  // CHECK: %[[V:.*]] = kernel.copy_blocks(%{{.*}}) into(%[[YT]])
  // CHECK: %[[N:.*]] = kernel.random() into(%[[MT]])
  // CHECK: materialize_in_destination %[[V]] in restrict writable %[[Y]]
  // CHECK: materialize_in_destination %[[N]] in restrict writable %[[M]]
  // CHECK: materialize_in_destination %[[V]] in restrict writable %[[Z]]
  %e = tensor.empty() : tensor<4xf32>
  %y = kernel.copy_blocks(%x) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %f = tensor.empty() : tensor<f32>
  %m = kernel.random() into(%f) {a = 0.0 : f64, b = 1.0 : f64, distribution = 0 : i64, node = 0 : i64} : () -> tensor<f32>
  return %y, %m, %y : tensor<4xf32>, tensor<f32>, tensor<4xf32>
}

// -----

// What is read again keeps its buffer, also of an elementwise loop; a variable that is not returned is not written, and
// a hyperparameter stands after the inputs.
// CHECK-LABEL: @evaluate
// CHECK-SAME: (%[[W:[a-z0-9]+]]: memref<4xf32> {llvm.noalias}, %[[X:.*]]: memref<2x4xf32> {llvm.noalias}, %{{.*}}: memref<f32> {llvm.noalias}, %[[Y:.*]]: memref<2x4xf32>
// CHECK-SAME: kernel.inputs = 2 : i64, kernel.results = 1 : i64, kernel.variables = 1 : i64
func.func @evaluate(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<2x4xf32>,
                    %r: tensor<f32> {train.hyperparameter = #train.hyperparameter<"r", 1.0 : f64>}) -> (tensor<2x4xf32> {train.output = "y"}) {
  // CHECK-DAG: bufferization.to_tensor %[[W]] restrict :
  // CHECK-DAG: bufferization.to_tensor %[[X]] restrict :
  // CHECK-DAG: %[[YT:.*]] = bufferization.to_tensor %[[Y]] restrict writable
  // CHECK: %[[P:.*]] = kernel.copy_blocks
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[P]] : {{.*}}) outs(%[[E]] :
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %[[Q]] : {{.*}}) outs(%[[YT]] :
  %e = tensor.empty() : tensor<2x4xf32>
  %p = kernel.copy_blocks(%x) into(%e) {bytes = 32 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %p : tensor<4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<2x4xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %s = arith.mulf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----

// What is reduced in place is made where the result goes; if it is read as it was, too, it is copied there.
module {
  collective.group @world {size = 4 : i64}
  // CHECK-LABEL: @step
  // CHECK-SAME: (%[[W:[a-z0-9]+]]: memref<4xf32>
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<4xf32>)
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    // CHECK: %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict writable
    // CHECK: %[[P:.*]] = kernel.copy_blocks(%{{.*}}) into(%[[WT]])
    // CHECK: collective.all_reduce mean %[[P]]
    %e = tensor.empty() : tensor<4xf32>
    %p = kernel.copy_blocks(%x) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %s = collective.all_reduce mean %p on @world : tensor<4xf32>
    return %s : tensor<4xf32>
  }
  // CHECK-LABEL: @evaluate
  // CHECK-SAME: (%{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias}, %[[SUM:.*]]: memref<4xf32> {llvm.noalias}, %[[OWN:.*]]: memref<4xf32>
  func.func @evaluate(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<4xf32>)
      -> (tensor<4xf32> {train.output = "sum"}, tensor<4xf32> {train.output = "own"}) {
    // CHECK-DAG: %[[ST:.*]] = bufferization.to_tensor %[[SUM]] restrict writable
    // CHECK-DAG: %[[OT:.*]] = bufferization.to_tensor %[[OWN]] restrict writable
    // CHECK: %[[P:.*]] = kernel.copy_blocks(%{{.*}}) into(%[[OT]])
    // CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[P]] in %[[ST]]
    // CHECK-NEXT: collective.all_reduce mean %[[COPY]]
    %e = tensor.empty() : tensor<4xf32>
    %p = kernel.copy_blocks(%x) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %s = collective.all_reduce mean %p on @world : tensor<4xf32>
    return %s, %p : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// An update whose result is used before the old value is read for the last time stays where it is: its user comes first.
// CHECK-LABEL: @step
// CHECK-SAME: (%[[W:[a-z0-9]+]]: memref<4xf32>
func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %x: tensor<4xf32>)
    -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<4xf32> {train.output = "new"}, tensor<4xf32> {train.output = "old"}) {
  // CHECK: %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict writable
  // CHECK: %[[N:.*]] = kernel.copy_blocks(%{{.*}}) into(%[[WT]]) {{.*}}keeps
  // CHECK: kernel.copy_blocks(%[[N]])
  // CHECK: kernel.copy_blocks(%[[WT]])
  %n = kernel.copy_blocks(%x) into(%w) {bytes = 16 : i64, keeps} : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = kernel.copy_blocks(%n) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %old = kernel.copy_blocks(%w) into(%e) {bytes = 16 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %n, %new, %old : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
