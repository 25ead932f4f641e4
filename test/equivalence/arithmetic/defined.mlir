// Where the machine leaves a result open, compiled code has one: conversions saturate, what is no number is 0, the least
// number divided by -1 wraps, and shifts by the width and more leave no bit.
// RUN: dist-run -n 1 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: d i32 [3, -2147483648, -3, 0]
// CHECK: f f32 [
// CHECK: n i32 [2147483647, -2147483648, 0, -2]
// CHECK: r i32 [1, 0, -1, 0]
// CHECK: s i32 [28, 0, 0, 7]
// CHECK: u i32 [-1, -1, -1, 3]
// CHECK: w i64 [9223372036854775807, -9223372036854775808, 0, -2]
#f = #train.variable<"f", other>
#n = #train.variable<"n", other>
#w = #train.variable<"w", other>
#d = #train.variable<"d", other>
#r = #train.variable<"r", other>
#s = #train.variable<"s", other>
#u = #train.variable<"u", other>
module attributes {train.program} {
  func.func @initialize() -> (tensor<4xf32> {train.variable = #f}, tensor<4xi32> {train.variable = #n}, tensor<4xi64> {train.variable = #w},
      tensor<4xi32> {train.variable = #d}, tensor<4xi32> {train.variable = #r}, tensor<4xi32> {train.variable = #s}, tensor<4xi32> {train.variable = #u}) {
    // Infinity, what is far below every integer, what is no number, and what is rounded towards 0.
    %f = arith.constant dense<[0x7F800000, -1.0e30, 0x7FC00000, -2.75]> : tensor<4xf32>
    %w = arith.constant dense<0> : tensor<4xi64>
    // What is divided and shifted, and by what.
    %n = arith.constant dense<[7, -2147483648, -7, 0]> : tensor<4xi32>
    %d = arith.constant dense<[2, -1, 2, -1]> : tensor<4xi32>
    %s = arith.constant dense<[2, 32, 1000, 0]> : tensor<4xi32>
    %u = arith.constant dense<[-8, -1, -8, 7]> : tensor<4xi32>
    return %f, %n, %w, %d, %d, %s, %u : tensor<4xf32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
  }
  func.func @step(%f: tensor<4xf32> {train.variable = #f}, %n: tensor<4xi32> {train.variable = #n}, %w: tensor<4xi64> {train.variable = #w},
      %d: tensor<4xi32> {train.variable = #d}, %r: tensor<4xi32> {train.variable = #r}, %s: tensor<4xi32> {train.variable = #s}, %u: tensor<4xi32> {train.variable = #u})
      -> (tensor<4xf32> {train.variable = #f}, tensor<4xi32> {train.variable = #n}, tensor<4xi64> {train.variable = #w},
      tensor<4xi32> {train.variable = #d}, tensor<4xi32> {train.variable = #r}, tensor<4xi32> {train.variable = #s}, tensor<4xi32> {train.variable = #u}) {
    %n1 = onnx.Cast %f {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
    %w1 = onnx.Cast %f {to = i64} : (tensor<4xf32>) -> tensor<4xi64>
    %d1 = onnx.Div %n, %d : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %r1 = arith.remsi %n, %r : tensor<4xi32>
    %seven = arith.constant dense<7> : tensor<4xi32>
    %three = arith.constant dense<[2, 40, -1, 1]> : tensor<4xi32>
    %s1 = arith.shli %seven, %s : tensor<4xi32>
    %u0 = arith.shrsi %u, %three : tensor<4xi32>
    %one = arith.constant dense<[1, 0, 0, 0]> : tensor<4xi32>
    %u1 = arith.addi %u0, %one : tensor<4xi32>
    return %f, %n1, %w1, %d1, %r1, %s1, %u1 : tensor<4xf32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
  }
}
