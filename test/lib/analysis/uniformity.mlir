// Which values the analysis proves equal on every rank: origins, operations, regions.
// RUN: dist-opt %s --distribute-print-uniformity -o /dev/null | FileCheck %s

collective.group @world
train.dataset @whole {global_batch = 64 : i64}
train.dataset @parts {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}

// CHECK-LABEL: @roles_of_arguments
// CHECK: uniform argument %arg0
// CHECK: uniform argument %arg1
// CHECK: varying argument %arg2
// CHECK: uniform argument %arg3
// CHECK: varying argument %arg4
func.func @roles_of_arguments(%variable: tensor<f32> {train.variable = #train.variable<"w", trainable>},
    %whole: tensor<?xf32> {train.input = #train.input<"x", @whole>},
    %part: tensor<?xf32> {train.input = #train.input<"x", @parts>},
    %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0 : f64>}, %unknown: tensor<f32>) {
  return
}

// CHECK-LABEL: @placements_of_variables
// CHECK: uniform argument %arg0
// CHECK: varying argument %arg1
// CHECK: varying argument %arg2
func.func @placements_of_variables(%replicated: tensor<4xf32> {train.variable = #train.variable<"a", state, replicate>},
    %sharded: tensor<2xf32> {train.variable = #train.variable<"b", state, shard<4>>},
    %own: tensor<4xf32> {train.variable = #train.variable<"c", state, per_rank>}) {
  return
}

// CHECK-LABEL: @collectives
func.func @collectives(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: varying %rank = collective.rank
  %rank = collective.rank on @world : index
  // CHECK: uniform %size = collective.size
  %size = collective.size on @world : index
  // CHECK: uniform uniform %{{.*}}:2 = collective.all_reduce
  %0:2 = collective.all_reduce sum %x, %x on @world : tensor<4xf32>, tensor<4xf32>
  // CHECK: uniform %{{.*}} = collective.broadcast
  %1 = collective.broadcast %x from 0 on @world : tensor<4xf32>
  // CHECK: uniform %{{.*}} = collective.all_gather
  %2 = collective.all_gather %x along 0 on @world : tensor<4xf32> -> tensor<?xf32>
  // CHECK: varying %{{.*}} = collective.reduce_scatter
  %3 = collective.reduce_scatter sum %1 along 0 on @world : tensor<4xf32> -> tensor<?xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @operations_are_as_uniform_as_their_operands
func.func @operations_are_as_uniform_as_their_operands() {
  %rank = collective.rank on @world : index
  %size = collective.size on @world : index
  // CHECK: uniform %{{.*}} = arith.addi %size, %size
  %0 = arith.addi %size, %size : index
  // CHECK: varying %{{.*}} = arith.addi %size, %rank
  %1 = arith.addi %size, %rank : index
  return
}

// CHECK-LABEL: @memory_and_unknown_operations
func.func @memory_and_unknown_operations(%w: tensor<f32> {train.variable = #train.variable<"w", trainable>}) {
  %0 = memref.alloc() : memref<f32>
  // CHECK: varying %{{.*}} = memref.load
  %1 = memref.load %0[] : memref<f32>
  // CHECK: varying %{{.*}} = onnx.custom "com.acme" "Swirl"
  %2 = onnx.custom "com.acme" "Swirl" (%w) : (tensor<f32>) -> tensor<f32>
  return
}

// What a region captures counts like an operand.
// CHECK-LABEL: @captured_values
func.func @captured_values(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
  %rank = collective.rank on @world : index
  // CHECK: varying %{{.*}} = linalg.map
  %0 = linalg.map ins(%w : tensor<4xf32>) outs(%w : tensor<4xf32>) (%in: f32, %out: f32) {
    %i = arith.index_cast %rank : index to i64
    %f = arith.sitofp %i : i64 to f32
    linalg.yield %f : f32
  }
  // CHECK: uniform %{{.*}} = linalg.map
  %1 = linalg.map ins(%w : tensor<4xf32>) outs(%w : tensor<4xf32>) (%in: f32, %out: f32) {
    %f = arith.addf %in, %in : f32
    linalg.yield %f : f32
  }
  return
}

// A tensor of a static shape filled with a constant does not depend on what it is shaped as.
// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  // CHECK: uniform %{{.*}} = train.full_like %arg0
  %0 = train.full_like %x, 1.0 : tensor<4xf32>
  // CHECK: varying %{{.*}} = train.full_like %arg1
  %1 = train.full_like %y, 1.0 : tensor<?xf32>
  return
}

// Rows are as uniform as what they are made of.
// CHECK-LABEL: @rows
func.func @rows(%x: tensor<2x5xf32> {train.variable = #train.variable<"w", trainable>}, %y: tensor<2x5xf32>) {
  // CHECK: uniform %{{.*}} = collective.flatten
  %0 = collective.flatten %x : tensor<2x5xf32> -> tensor<12xf32>
  // CHECK: uniform %{{.*}} = collective.unflatten
  %1 = collective.unflatten %0 : tensor<12xf32> -> tensor<2x5xf32>
  // CHECK: varying %{{.*}} = collective.flatten
  %2 = collective.flatten %y : tensor<2x5xf32> -> tensor<12xf32>
  // CHECK: varying %{{.*}} = collective.unflatten
  %3 = collective.unflatten %2 : tensor<12xf32> -> tensor<2x5xf32>
  return
}
