// A world of one rank runs the same program: exchanges of rows move them within the rank; bytes and truth values too.
// RUN: dist-run -n 1 %s --steps 1 --dataset %data/digits_train.npz --save %t.1.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.1.safetensors | FileCheck %s --check-prefix=ONE

// ONE: b bool {{\[\[}}1, 0], [1, 1]]
// ONE-NEXT: c u8 {{\[\[}}3, 4], [5, 6]]
// ONE-NEXT: x f32 {{\[\[}}0, 0], [3, 4], [5, 6], [7, 8]]
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4x2xf32> {train.variable = #train.variable<"x", other>}, tensor<2x2xi1> {train.variable = #train.variable<"b", other>}, tensor<2x2xui8> {train.variable = #train.variable<"c", other>}) {
    %x = arith.constant dense<0.0> : tensor<4x2xf32>
    %b = arith.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
    %c = onnx.Constant dense<[[3, 4], [5, 6]]> : tensor<2x2xui8>
    return %x, %b, %c : tensor<4x2xf32>, tensor<2x2xi1>, tensor<2x2xui8>
  }
  func.func @step(%x: tensor<4x2xf32> {train.variable = #train.variable<"x", other>}, %b: tensor<2x2xi1> {train.variable = #train.variable<"b", other>}, %c: tensor<2x2xui8> {train.variable = #train.variable<"c", other>}) -> (tensor<4x2xf32> {train.variable = #train.variable<"x", other>}, tensor<2x2xi1> {train.variable = #train.variable<"b", other>}, tensor<2x2xui8> {train.variable = #train.variable<"c", other>}) {
    %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
    %counts = arith.constant dense<2> : tensor<1xi64>
    %d = arith.constant dense<1> : tensor<1xi64>
    %m = arith.constant dense<3> : tensor<1x1xi64>
    %y = collective.all_to_all_v %a into %x send(%counts, %d) receive(%counts, %d) on @world : tensor<4x2xf32>, tensor<4x2xf32>, tensor<1xi64>
    %z = collective.all_to_all_vc %y into %a counts(%m) on @world : tensor<4x2xf32>, tensor<4x2xf32>, tensor<1x1xi64>
    %w = collective.broadcast %z from 0 on @world : tensor<4x2xf32>
    %b2 = collective.broadcast %b from 0 on @world : tensor<2x2xi1>
    %c2 = collective.all_reduce sum %c on @world : tensor<2x2xui8>
    return %w, %b2, %c2 : tensor<4x2xf32>, tensor<2x2xi1>, tensor<2x2xui8>
  }
}
