// Bytes and truth values between two ranks: unsigned sums, and a truth that only the root holds.
// RUN: dist-run -n 2 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: b bool [0, 1, 0, 1]
// CHECK-NEXT: c u8 {{\[\[}}150, 4], [254, 100]]
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xi1> {train.variable = #train.variable<"b", other>}, tensor<2x2xui8> {train.variable = #train.variable<"c", other>}) {
    %b = arith.constant dense<true> : tensor<4xi1>
    %c = onnx.Constant dense<[[75, 2], [127, 50]]> : tensor<2x2xui8>
    return %b, %c : tensor<4xi1>, tensor<2x2xui8>
  }
  func.func @step(%b: tensor<4xi1> {train.variable = #train.variable<"b", other>}, %c: tensor<2x2xui8> {train.variable = #train.variable<"c", other>})
      -> (tensor<4xi1> {train.variable = #train.variable<"b", other>}, tensor<2x2xui8> {train.variable = #train.variable<"c", other>}) {
    // Rank 0 holds two falsehoods, rank 1 a falsehood and a truth.
    %rank = collective.rank on @world : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %is_one = arith.cmpi eq, %rank, %one : index
    %false = arith.constant false
    %truths = tensor.from_elements %false, %is_one : tensor<2xi1>
    %joined = collective.all_gather %truths along 0 on @world : tensor<2xi1> -> tensor<4xi1>
    %from_one = collective.broadcast %truths from 1 on @world : tensor<2xi1>
    %both = collective.all_gather %from_one along 0 on @world : tensor<2xi1> -> tensor<4xi1>
    %result = arith.ori %joined, %both : tensor<4xi1>
    // The largest byte is no negative number.
    %sums = collective.all_reduce sum %c on @world : tensor<2x2xui8>
    %largest = collective.all_reduce max %sums on @world : tensor<2x2xui8>
    return %result, %largest : tensor<4xi1>, tensor<2x2xui8>
  }
}
