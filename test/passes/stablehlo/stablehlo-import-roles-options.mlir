// What options say, names that come from locations, and callees that become part of the step.
// RUN: dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles="entry=train variables=1:0 inputs=2" | FileCheck %s

// CHECK-NOT: func.func private
// CHECK: train.dataset @batch {global_batch = 8 : i64}
// CHECK: func.func public @step(%arg0: tensor<3x4xf32> {train.input = #train.input<"table", @given>}
// CHECK-SAME: %arg1: tensor<4xf32> {train.variable = #train.variable<"params['w']", trainable>}
// CHECK-SAME: %arg2: tensor<8x4xf32> {train.input = #train.input<"table.1", @batch>}
// CHECK: %[[TWICE:.*]] = "stablehlo.add"(%arg1, %arg1)
// CHECK: %[[FOUR:.*]] = "stablehlo.add"(%[[TWICE]], %[[TWICE]])
// CHECK: return %[[FOUR]] : tensor<4xf32>
// CHECK-NOT: custom_call
// CHECK-NOT: func.func private
module @options {
  func.func public @train(%arg0: tensor<3x4xf32> loc("table"), %arg1: tensor<4xf32> loc("params['w']"), %arg2: tensor<8x4xf32> loc("table")) -> tensor<4xf32> {
    %0 = call @four_times(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.custom_call"(%0) <{call_target_name = "Sharding"}> {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @four_times(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @twice(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @twice(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
