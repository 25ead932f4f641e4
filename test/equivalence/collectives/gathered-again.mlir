// A value that is gathered for the forward pass and again for the backward pass: both gathers stay, through stock passes and
// through those that communicate less, and the program runs and gives what it gave with one gather.
// RUN: dist-opt %s --cse --collective-simplify --collective-fuse --canonicalize --cse -o %t.again.mlir
// RUN: sed 's/ {collective.distinct}//' %s > %t.plain.mlir
// RUN: dist-opt %t.plain.mlir --cse -o %t.once.mlir
// RUN: dist-run -n 4 %t.again.mlir --steps 3 --dataset %data/digits_train.npz --save %t.again.safetensors --plan | FileCheck %s --check-prefix=AGAIN
// RUN: dist-run -n 4 %t.once.mlir --steps 3 --dataset %data/digits_train.npz --save %t.once.safetensors --plan | FileCheck %s --check-prefix=ONCE
// RUN: %python %compare-checkpoints %t.again.safetensors %t.once.safetensors --limit 0
// On one rank there is nobody to gather from, and both are gone.
// RUN: sed 's/size = 4/size = 1/; s/tensor<2x2xf32>/tensor<8x2xf32>/g' %s | dist-opt --canonicalize | FileCheck %s --check-prefix=ALONE
// AGAIN-COUNT-2: step all_gather
// AGAIN-NOT: step all_gather
// AGAIN: trained
// ONCE-COUNT-1: step all_gather
// ONCE-NOT: step all_gather
// ONCE: trained
// ALONE-NOT: collective.all_gather
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  func.func @initialize() -> (tensor<8x2xf32> {train.variable = #train.variable<"w", other>}) {
    %w = arith.constant dense<0.3> : tensor<8x2xf32>
    return %w : tensor<8x2xf32>
  }
  func.func @step(%w: tensor<8x2xf32> {train.variable = #train.variable<"w", other>})
      -> (tensor<8x2xf32> {train.variable = #train.variable<"w", other>}) {
    %part = collective.reduce_scatter mean %w along 0 on @world : tensor<8x2xf32> -> tensor<2x2xf32>
    %forward = collective.all_gather %part along 0 on @world : tensor<2x2xf32> -> tensor<8x2xf32>
    %y = arith.mulf %forward, %forward : tensor<8x2xf32>
    %backward = collective.all_gather %part along 0 on @world {collective.distinct} : tensor<2x2xf32> -> tensor<8x2xf32>
    %new = arith.subf %backward, %y : tensor<8x2xf32>
    return %new : tensor<8x2xf32>
  }
}
