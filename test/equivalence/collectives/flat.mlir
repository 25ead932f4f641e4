// A value whose elements the ranks do not divide: reduced and scattered in equal parts of a row with zeros after, changed by
// its owners, gathered, and given its shape back. Half of the variable's length is padding on 4 ranks.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: x f32 {{\[\[}}5], [9], [13], [17], [21]]
// CHECK-NEXT: y f32 {{\[\[}}5, 9, 13], [17, 21, 25]]

module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<5x1xf32> {train.variable = #train.variable<"x", other>}, tensor<2x3xf32> {train.variable = #train.variable<"y", other>}) {
    %x = arith.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<5x1xf32>
    %y = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %x, %y : tensor<5x1xf32>, tensor<2x3xf32>
  }
  func.func @step(%x: tensor<5x1xf32> {train.variable = #train.variable<"x", other>}, %y: tensor<2x3xf32> {train.variable = #train.variable<"y", other>})
      -> (tensor<5x1xf32> {train.variable = #train.variable<"x", other>}, tensor<2x3xf32> {train.variable = #train.variable<"y", other>}) {
    %one = arith.constant dense<1.0> : tensor<2xf32>
    // A variable stays as it is while its copy travels.
    %row = collective.flatten %x : tensor<5x1xf32> -> tensor<8xf32>
    %part = collective.reduce_scatter sum %row along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %more = arith.addf %part, %one : tensor<2xf32>
    %whole = collective.all_gather %more along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    %new = collective.unflatten %whole : tensor<8xf32> -> tensor<5x1xf32>
    // What is computed for the row stands in it.
    %two = arith.constant dense<2.0> : tensor<2x3xf32>
    %double = arith.mulf %y, %two : tensor<2x3xf32>
    %row2 = collective.flatten %double : tensor<2x3xf32> -> tensor<8xf32>
    %part2 = collective.reduce_scatter mean %row2 along 0 on @world : tensor<8xf32> -> tensor<2xf32>
    %twice = arith.addf %part2, %part2 : tensor<2xf32>
    %more2 = arith.addf %twice, %one : tensor<2xf32>
    %whole2 = collective.all_gather %more2 along 0 on @world : tensor<2xf32> -> tensor<8xf32>
    %new2 = collective.unflatten %whole2 : tensor<8xf32> -> tensor<2x3xf32>
    return %new, %new2 : tensor<5x1xf32>, tensor<2x3xf32>
  }
}
