// Slices of tensors on the network: rows lie together and travel as they are, a column is collected first.
// RUN: dist-run -n 2 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: columns f32 {{\[\[}}2], [4], [6], [8], [2], [4], [6], [8]]
// CHECK-NEXT: rows f32 {{\[\[}}6, 8], [10, 12]]
// CHECK-NEXT: x f32 {{\[\[}}1, 2], [3, 4], [5, 6], [7, 8]]
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4x2xf32> {train.variable = #train.variable<"x", other>}, tensor<8x1xf32> {train.variable = #train.variable<"columns", other>}, tensor<2x2xf32> {train.variable = #train.variable<"rows", other>}) {
    %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
    %c = arith.constant dense<0.0> : tensor<8x1xf32>
    %r = arith.constant dense<0.0> : tensor<2x2xf32>
    return %x, %c, %r : tensor<4x2xf32>, tensor<8x1xf32>, tensor<2x2xf32>
  }
  func.func @step(%x: tensor<4x2xf32> {train.variable = #train.variable<"x", other>}, %c: tensor<8x1xf32> {train.variable = #train.variable<"columns", other>}, %r: tensor<2x2xf32> {train.variable = #train.variable<"rows", other>})
      -> (tensor<4x2xf32> {train.variable = #train.variable<"x", other>}, tensor<8x1xf32> {train.variable = #train.variable<"columns", other>}, tensor<2x2xf32> {train.variable = #train.variable<"rows", other>}) {
    %column = tensor.extract_slice %x[0, 1] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4x1xf32>
    %columns = collective.all_gather %column along 0 on @world : tensor<4x1xf32> -> tensor<8x1xf32>
    %some = tensor.extract_slice %x[1, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
    %rows = collective.all_reduce sum %some on @world : tensor<2x2xf32>
    return %x, %columns, %rows : tensor<4x2xf32>, tensor<8x1xf32>, tensor<2x2xf32>
  }
}
