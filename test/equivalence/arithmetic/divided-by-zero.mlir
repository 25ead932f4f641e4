// An integer that is divided by 0 ends the run with the name of the node, on any number of ranks, and with no signal.
// RUN: not dist-run -n 1 %s --steps 1 --dataset %data/digits_train.npz 2>&1 | FileCheck %s
// RUN: not dist-run -n 2 %s --steps 1 --dataset %data/digits_train.npz 2>&1 | FileCheck %s
// CHECK: node 'shares': an integer is divided by 0
// CHECK-NOT: signal
// CHECK-NOT: SIGFPE
#n = #train.variable<"n", other>
#d = #train.variable<"d", other>
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xi32> {train.variable = #n}, tensor<4xi32> {train.variable = #d}) {
    %n = arith.constant dense<[7, 8, 9, 10]> : tensor<4xi32>
    %d = arith.constant dense<[2, -1, 0, 1]> : tensor<4xi32>
    return %n, %d : tensor<4xi32>, tensor<4xi32>
  }
  func.func @step(%n: tensor<4xi32> {train.variable = #n}, %d: tensor<4xi32> {train.variable = #d})
      -> (tensor<4xi32> {train.variable = #n}, tensor<4xi32> {train.variable = #d}) {
    %q = onnx.Div %n, %d : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32> loc("shares")
    return %q, %d : tensor<4xi32>, tensor<4xi32>
  }
}
