// Buffers of optimizer states are marked where that is asked for, in each function that takes or makes them.
// RUN: dist-opt %s --lower-bind-variables=mark-states=true | FileCheck %s
// RUN: dist-opt %s --lower-bind-variables | FileCheck %s --check-prefix=NONE --implicit-check-not=kernel.state

#weight = #train.variable<"w", trainable>
#moment = #train.variable<"w.momentum", state>

// CHECK: func.func @initialize(%{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {kernel.state, llvm.noalias}, %{{.*}}: memref<?xi8>
// NONE: func.func @initialize(%{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias}
func.func @initialize() -> (tensor<4xf32> {train.variable = #weight}, tensor<4xf32> {train.variable = #moment}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  return %one, %zero : tensor<4xf32>, tensor<4xf32>
}

// CHECK: func.func @step(%{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {kernel.state, llvm.noalias}, %{{.*}}: memref<?xi8>
func.func @step(%w: tensor<4xf32> {train.variable = #weight}, %m: tensor<4xf32> {train.variable = #moment})
    -> (tensor<4xf32> {train.variable = #weight}, tensor<4xf32> {train.variable = #moment}) {
  return %w, %m : tensor<4xf32>, tensor<4xf32>
}
