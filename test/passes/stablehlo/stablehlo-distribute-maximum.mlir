// A maximum over samples that is still to be taken is no sum, whatever passes sums on.
// RUN: dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles --stablehlo-distribute=ranks=4 | FileCheck %s

// CHECK: %[[OWN:.*]] = "stablehlo.reduce"(%arg1
// CHECK: %[[MOST:.*]] = collective.all_reduce max %[[OWN]] on @world : tensor<4xbf16>
// CHECK: %[[WIDE:.*]] = "stablehlo.convert"(%[[MOST]])
// CHECK: "stablehlo.subtract"(%arg0, %[[WIDE]])
// CHECK-NOT: all_reduce
module @converted {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x4xbf16>) -> tensor<4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %1 = "stablehlo.reduce"(%arg1, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>):
      %4 = "stablehlo.maximum"(%arg2, %arg3) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%4) : (tensor<bf16>) -> ()
    }) : (tensor<8x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %2 = "stablehlo.convert"(%1) : (tensor<4xbf16>) -> tensor<4xf32>
    %3 = "stablehlo.subtract"(%arg0, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
