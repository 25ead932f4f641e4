// Of custom calls each says for itself whether ranks compute the same: the proof trusts that of an operation of CHLO, and no other.
// RUN: dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles | FileCheck %s
// RUN: dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles --stablehlo-export-roles | FileCheck %s --check-prefix=BACK
// RUN: not dist-opt %s --allow-unregistered-dialect --stablehlo-import-roles --distribute-verify-replication -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROOF

// CHECK: train.deterministic = ["stablehlo.add", "stablehlo.constant"]
// CHECK: "stablehlo.custom_call"({{.*}}) <{call_target_name = "mhlo.erf"}> {train.deterministic}
// CHECK: "stablehlo.custom_call"({{.*}}) <{call_target_name = "lapack"}> :
// BACK-NOT: train.deterministic
// PROOF: error: variable "arg0" leaves @step different on different ranks
// PROOF: 'stablehlo.custom_call'
func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.custom_call"(%w) <{call_target_name = "mhlo.erf"}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.custom_call"(%0) <{call_target_name = "lapack"}> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
