// The number of replicas is written down, groups and roles go; what is no such program is an error.
// RUN: dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles --stablehlo-distribute=ranks=2 --convert-collective-to-stablehlo --stablehlo-export-roles=entry=train | FileCheck %s
// RUN: not dist-opt %s --allow-unregistered-dialect --stablehlo-export-roles -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles --stablehlo-export-roles=entry=other -o /dev/null 2>&1 | FileCheck %s --check-prefix=TAKEN

// NONE: is no program that stablehlo-import-roles made: it lacks train.program or @step
// TAKEN: has a symbol @other already

// CHECK: module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
// CHECK-NEXT: func.func public @train(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4x4xf32>) -> tensor<4xf32>
// CHECK: "stablehlo.all_reduce"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
// CHECK-NOT: train.
// CHECK-NOT: collective.
// CHECK-NOT: @initialize
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%arg1, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = "stablehlo.subtract"(%arg0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func public @other() {
    return
  }
}
