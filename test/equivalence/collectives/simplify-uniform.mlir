// What all ranks have alike, on as many ranks as a sum in rank order rounds: the program runs before and after
// collective-simplify and ends with the same variables, bit for bit. A float sum is N times the value up to five ranks only,
// and a mean is not the value, for 3 ranks already; and a tiny bf16
// may be lost in a product.
// RUN: sed s/RANKS/3/ %s > %t.3.mlir
// RUN: dist-opt %t.3.mlir --collective-simplify -o %t.3.after.mlir
// RUN: dist-run -n 3 %t.3.mlir --steps 2 --dataset %data/digits_train.npz --save %t.3.before.safetensors
// RUN: dist-run -n 3 %t.3.after.mlir --steps 2 --dataset %data/digits_train.npz --save %t.3.after.safetensors --plan | FileCheck %s --check-prefix=FEW
// RUN: %python %compare-checkpoints %t.3.before.safetensors %t.3.after.safetensors --limit 0
// RUN: sed s/RANKS/5/ %s > %t.5.mlir
// RUN: dist-opt %t.5.mlir --collective-simplify -o %t.5.after.mlir
// RUN: dist-run -n 5 %t.5.mlir --steps 2 --dataset %data/digits_train.npz --save %t.5.before.safetensors
// RUN: dist-run -n 5 %t.5.after.mlir --steps 2 --dataset %data/digits_train.npz --save %t.5.after.safetensors --plan | FileCheck %s --check-prefix=FEW
// RUN: %python %compare-checkpoints %t.5.before.safetensors %t.5.after.safetensors --limit 0
// RUN: sed s/RANKS/8/ %s > %t.8.mlir
// RUN: dist-opt %t.8.mlir --collective-simplify -o %t.8.after.mlir
// RUN: dist-run -n 8 %t.8.mlir --steps 2 --dataset %data/digits_train.npz --save %t.8.before.safetensors
// RUN: dist-run -n 8 %t.8.after.mlir --steps 2 --dataset %data/digits_train.npz --save %t.8.after.safetensors --plan | FileCheck %s --check-prefix=MANY
// RUN: %python %compare-checkpoints %t.8.before.safetensors %t.8.after.safetensors --limit 0
// RUN: sed s/RANKS/16/ %s > %t.16.mlir
// RUN: dist-opt %t.16.mlir --collective-simplify -o %t.16.after.mlir
// RUN: dist-run -n 16 %t.16.mlir --steps 2 --dataset %data/digits_train.npz --save %t.16.before.safetensors
// RUN: dist-run -n 16 %t.16.after.mlir --steps 2 --dataset %data/digits_train.npz --save %t.16.after.safetensors --plan | FileCheck %s --check-prefix=MANY
// RUN: %python %compare-checkpoints %t.16.before.safetensors %t.16.after.safetensors --limit 0
// FEW: 0 step all_reduce mean world f32
// FEW: 1 step all_reduce sum world bf16
// FEW-NOT: {{^ *[0-9]+ +}}step
// FEW: trained
// MANY: 0 step all_reduce sum world f32
// MANY: 1 step all_reduce mean world f32
// MANY: 2 step all_reduce sum world bf16
// MANY-NOT: {{^ *[0-9]+ +}}step
// MANY: trained
module attributes {train.program} {
  collective.group @world {size = RANKS : i64}
  func.func @initialize() -> (tensor<16xf32> {train.variable = #train.variable<"u", other>}, tensor<16xf32> {train.variable = #train.variable<"sum", other>}, tensor<16xf32> {train.variable = #train.variable<"mean", other>}, tensor<16xf32> {train.variable = #train.variable<"max", other>}, tensor<16xi32> {train.variable = #train.variable<"integers", other>}, tensor<16xf32> {train.variable = #train.variable<"half", other>}, tensor<16xf32> {train.variable = #train.variable<"brain", other>}) {
    %u = arith.constant dense<[0.1, 0.2, 0.3, 0.7, 1.1, 1.3, 1.7, 1.9, 2.3, 2.9, -3.1, 3.7, 4.1, -4.3, 4.7, 1.0e-40]> : tensor<16xf32>
    %zero = arith.constant dense<0.0> : tensor<16xf32>
    %integers = arith.constant dense<0> : tensor<16xi32>
    return %u, %zero, %zero, %zero, %integers, %zero, %zero : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi32>, tensor<16xf32>, tensor<16xf32>
  }
  func.func @step(%u: tensor<16xf32> {train.variable = #train.variable<"u", other>},
                  %old_sum: tensor<16xf32> {train.variable = #train.variable<"sum", other>},
                  %old_mean: tensor<16xf32> {train.variable = #train.variable<"mean", other>},
                  %old_max: tensor<16xf32> {train.variable = #train.variable<"max", other>},
                  %old_integers: tensor<16xi32> {train.variable = #train.variable<"integers", other>},
                  %old_half: tensor<16xf32> {train.variable = #train.variable<"half", other>},
                  %old_brain: tensor<16xf32> {train.variable = #train.variable<"brain", other>})
      -> (tensor<16xf32> {train.variable = #train.variable<"u", other>},
          tensor<16xf32> {train.variable = #train.variable<"sum", other>},
          tensor<16xf32> {train.variable = #train.variable<"mean", other>},
          tensor<16xf32> {train.variable = #train.variable<"max", other>},
          tensor<16xi32> {train.variable = #train.variable<"integers", other>},
          tensor<16xf32> {train.variable = #train.variable<"half", other>},
          tensor<16xf32> {train.variable = #train.variable<"brain", other>}) {
    %sum = collective.all_reduce sum %u on @world : tensor<16xf32>
    %mean = collective.all_reduce mean %u on @world : tensor<16xf32>
    %max = collective.all_reduce max %u on @world : tensor<16xf32>
    %times = arith.constant dense<1.0e8> : tensor<16xf32>
    %large = arith.mulf %u, %times : tensor<16xf32>
    %i = arith.fptosi %large : tensor<16xf32> to tensor<16xi32>
    %integers = collective.all_reduce sum %i on @world : tensor<16xi32>
    %h = arith.truncf %u : tensor<16xf32> to tensor<16xf16>
    %half_sum = collective.all_reduce sum %h on @world : tensor<16xf16>
    %half = arith.extf %half_sum : tensor<16xf16> to tensor<16xf32>
    %b = arith.truncf %u : tensor<16xf32> to tensor<16xbf16>
    %brain_sum = collective.all_reduce sum %b on @world : tensor<16xbf16>
    %brain = arith.extf %brain_sum : tensor<16xbf16> to tensor<16xf32>
    return %u, %sum, %mean, %max, %integers, %half, %brain : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi32>, tensor<16xf32>, tensor<16xf32>
  }
}
