// What arrives has no user once the loops that read it are lowered: the ranks communicate as planned all the same.
// RUN: dist-run -n 2 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors | FileCheck %s
// CHECK: 16 B a rank in 1 collectives
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s --check-prefix=SAVED
// SAVED: w f32 [1, 1, 1, 1]
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %gathered = collective.all_gather %w along 0 on @world : tensor<4xf32> -> tensor<8xf32>
    %half = tensor.extract_slice %gathered[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %space = tensor.empty() : tensor<4xf32>
    %one = arith.constant 1.0 : f32
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%half : tensor<4xf32>) outs(%space : tensor<4xf32>) {
    ^bb0(%read: f32, %written: f32):
      linalg.yield %one : f32
    } -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
