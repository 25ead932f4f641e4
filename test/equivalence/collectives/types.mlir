// Every element type, reduced and moved on four ranks.
// RUN: dist-run -n 4 %s --steps 1 --dataset %data/digits_train.npz --save %t.safetensors
// RUN: %python %source/test/equivalence/collectives/show_variables.py %t.safetensors | FileCheck %s

// CHECK: moved_bf16 bf16 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: moved_f16 f16 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: moved_f64 f64 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: moved_i16 i16 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: moved_i32 i32 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: moved_i64 i64 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: moved_i8 i8 {{\[\[}}3, 4], [5, 6], [7, 8], [9, 10]]
// CHECK-NEXT: sum_bf16 bf16 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
// CHECK-NEXT: sum_f16 f16 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
// CHECK-NEXT: sum_f64 f64 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
// CHECK-NEXT: sum_i16 i16 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
// CHECK-NEXT: sum_i32 i32 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
// CHECK-NEXT: sum_i64 i64 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
// CHECK-NEXT: sum_i8 i8 {{\[\[}}6, 10], [14, 18], [22, 26], [30, 34]]
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4x2xf16> {train.variable = #train.variable<"sum_f16", other>}, tensor<4x2xf16> {train.variable = #train.variable<"moved_f16", other>}, tensor<4x2xbf16> {train.variable = #train.variable<"sum_bf16", other>}, tensor<4x2xbf16> {train.variable = #train.variable<"moved_bf16", other>}, tensor<4x2xf64> {train.variable = #train.variable<"sum_f64", other>}, tensor<4x2xf64> {train.variable = #train.variable<"moved_f64", other>}, tensor<4x2xi8> {train.variable = #train.variable<"sum_i8", other>}, tensor<4x2xi8> {train.variable = #train.variable<"moved_i8", other>}, tensor<4x2xi16> {train.variable = #train.variable<"sum_i16", other>}, tensor<4x2xi16> {train.variable = #train.variable<"moved_i16", other>}, tensor<4x2xi32> {train.variable = #train.variable<"sum_i32", other>}, tensor<4x2xi32> {train.variable = #train.variable<"moved_i32", other>}, tensor<4x2xi64> {train.variable = #train.variable<"sum_i64", other>}, tensor<4x2xi64> {train.variable = #train.variable<"moved_i64", other>}) {
    %sum_f16 = arith.constant dense<0.0> : tensor<4x2xf16>
    %moved_f16 = arith.constant dense<0.0> : tensor<4x2xf16>
    %sum_bf16 = arith.constant dense<0.0> : tensor<4x2xbf16>
    %moved_bf16 = arith.constant dense<0.0> : tensor<4x2xbf16>
    %sum_f64 = arith.constant dense<0.0> : tensor<4x2xf64>
    %moved_f64 = arith.constant dense<0.0> : tensor<4x2xf64>
    %sum_i8 = arith.constant dense<0> : tensor<4x2xi8>
    %moved_i8 = arith.constant dense<0> : tensor<4x2xi8>
    %sum_i16 = arith.constant dense<0> : tensor<4x2xi16>
    %moved_i16 = arith.constant dense<0> : tensor<4x2xi16>
    %sum_i32 = arith.constant dense<0> : tensor<4x2xi32>
    %moved_i32 = arith.constant dense<0> : tensor<4x2xi32>
    %sum_i64 = arith.constant dense<0> : tensor<4x2xi64>
    %moved_i64 = arith.constant dense<0> : tensor<4x2xi64>
    return %sum_f16, %moved_f16, %sum_bf16, %moved_bf16, %sum_f64, %moved_f64, %sum_i8, %moved_i8, %sum_i16, %moved_i16, %sum_i32, %moved_i32, %sum_i64, %moved_i64 : tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xbf16>, tensor<4x2xbf16>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2xi8>, tensor<4x2xi8>, tensor<4x2xi16>, tensor<4x2xi16>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi64>, tensor<4x2xi64>
  }
  func.func @step(%old_sum_f16: tensor<4x2xf16> {train.variable = #train.variable<"sum_f16", other>}, %old_moved_f16: tensor<4x2xf16> {train.variable = #train.variable<"moved_f16", other>}, %old_sum_bf16: tensor<4x2xbf16> {train.variable = #train.variable<"sum_bf16", other>}, %old_moved_bf16: tensor<4x2xbf16> {train.variable = #train.variable<"moved_bf16", other>}, %old_sum_f64: tensor<4x2xf64> {train.variable = #train.variable<"sum_f64", other>}, %old_moved_f64: tensor<4x2xf64> {train.variable = #train.variable<"moved_f64", other>}, %old_sum_i8: tensor<4x2xi8> {train.variable = #train.variable<"sum_i8", other>}, %old_moved_i8: tensor<4x2xi8> {train.variable = #train.variable<"moved_i8", other>}, %old_sum_i16: tensor<4x2xi16> {train.variable = #train.variable<"sum_i16", other>}, %old_moved_i16: tensor<4x2xi16> {train.variable = #train.variable<"moved_i16", other>}, %old_sum_i32: tensor<4x2xi32> {train.variable = #train.variable<"sum_i32", other>}, %old_moved_i32: tensor<4x2xi32> {train.variable = #train.variable<"moved_i32", other>}, %old_sum_i64: tensor<4x2xi64> {train.variable = #train.variable<"sum_i64", other>}, %old_moved_i64: tensor<4x2xi64> {train.variable = #train.variable<"moved_i64", other>})
      -> (tensor<4x2xf16> {train.variable = #train.variable<"sum_f16", other>}, tensor<4x2xf16> {train.variable = #train.variable<"moved_f16", other>}, tensor<4x2xbf16> {train.variable = #train.variable<"sum_bf16", other>}, tensor<4x2xbf16> {train.variable = #train.variable<"moved_bf16", other>}, tensor<4x2xf64> {train.variable = #train.variable<"sum_f64", other>}, tensor<4x2xf64> {train.variable = #train.variable<"moved_f64", other>}, tensor<4x2xi8> {train.variable = #train.variable<"sum_i8", other>}, tensor<4x2xi8> {train.variable = #train.variable<"moved_i8", other>}, tensor<4x2xi16> {train.variable = #train.variable<"sum_i16", other>}, tensor<4x2xi16> {train.variable = #train.variable<"moved_i16", other>}, tensor<4x2xi32> {train.variable = #train.variable<"sum_i32", other>}, tensor<4x2xi32> {train.variable = #train.variable<"moved_i32", other>}, tensor<4x2xi64> {train.variable = #train.variable<"sum_i64", other>}, tensor<4x2xi64> {train.variable = #train.variable<"moved_i64", other>}) {
    // Element (i, j) of rank r is r + 2 i + j.
    %rank = collective.rank on @world : index
    %space = tensor.empty() : tensor<4x2xf32>
    %small = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%space : tensor<4x2xf32>) {
    ^bb0(%unused: f32):
      %two = arith.constant 2 : index
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %i2 = arith.muli %i, %two : index
      %ri = arith.addi %rank, %i2 : index
      %rij = arith.addi %ri, %j : index
      %n = arith.index_cast %rij : index to i64
      %f = arith.sitofp %n : i64 to f32
      linalg.yield %f : f32
    } -> tensor<4x2xf32>
    %space_f16 = tensor.empty() : tensor<4x2xf16>
    %a_f16 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_f16 : tensor<4x2xf16>) {
    ^bb0(%v: f32, %unused: f16):
      %c = arith.truncf %v : f32 to f16
      linalg.yield %c : f16
    } -> tensor<4x2xf16>
    %sum_f16 = collective.all_reduce sum %a_f16 on @world : tensor<4x2xf16>
    %moved_f16 = collective.broadcast %a_f16 from 3 on @world : tensor<4x2xf16>
    %space_bf16 = tensor.empty() : tensor<4x2xbf16>
    %a_bf16 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_bf16 : tensor<4x2xbf16>) {
    ^bb0(%v: f32, %unused: bf16):
      %c = arith.truncf %v : f32 to bf16
      linalg.yield %c : bf16
    } -> tensor<4x2xbf16>
    %sum_bf16 = collective.all_reduce sum %a_bf16 on @world : tensor<4x2xbf16>
    %moved_bf16 = collective.broadcast %a_bf16 from 3 on @world : tensor<4x2xbf16>
    %space_f64 = tensor.empty() : tensor<4x2xf64>
    %a_f64 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_f64 : tensor<4x2xf64>) {
    ^bb0(%v: f32, %unused: f64):
      %c = arith.extf %v : f32 to f64
      linalg.yield %c : f64
    } -> tensor<4x2xf64>
    %sum_f64 = collective.all_reduce sum %a_f64 on @world : tensor<4x2xf64>
    %moved_f64 = collective.broadcast %a_f64 from 3 on @world : tensor<4x2xf64>
    %space_i8 = tensor.empty() : tensor<4x2xi8>
    %a_i8 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_i8 : tensor<4x2xi8>) {
    ^bb0(%v: f32, %unused: i8):
      %c = arith.fptosi %v : f32 to i8
      linalg.yield %c : i8
    } -> tensor<4x2xi8>
    %sum_i8 = collective.all_reduce sum %a_i8 on @world : tensor<4x2xi8>
    %moved_i8 = collective.broadcast %a_i8 from 3 on @world : tensor<4x2xi8>
    %space_i16 = tensor.empty() : tensor<4x2xi16>
    %a_i16 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_i16 : tensor<4x2xi16>) {
    ^bb0(%v: f32, %unused: i16):
      %c = arith.fptosi %v : f32 to i16
      linalg.yield %c : i16
    } -> tensor<4x2xi16>
    %sum_i16 = collective.all_reduce sum %a_i16 on @world : tensor<4x2xi16>
    %moved_i16 = collective.broadcast %a_i16 from 3 on @world : tensor<4x2xi16>
    %space_i32 = tensor.empty() : tensor<4x2xi32>
    %a_i32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_i32 : tensor<4x2xi32>) {
    ^bb0(%v: f32, %unused: i32):
      %c = arith.fptosi %v : f32 to i32
      linalg.yield %c : i32
    } -> tensor<4x2xi32>
    %sum_i32 = collective.all_reduce sum %a_i32 on @world : tensor<4x2xi32>
    %moved_i32 = collective.broadcast %a_i32 from 3 on @world : tensor<4x2xi32>
    %space_i64 = tensor.empty() : tensor<4x2xi64>
    %a_i64 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%small : tensor<4x2xf32>) outs(%space_i64 : tensor<4x2xi64>) {
    ^bb0(%v: f32, %unused: i64):
      %c = arith.fptosi %v : f32 to i64
      linalg.yield %c : i64
    } -> tensor<4x2xi64>
    %sum_i64 = collective.all_reduce sum %a_i64 on @world : tensor<4x2xi64>
    %moved_i64 = collective.broadcast %a_i64 from 3 on @world : tensor<4x2xi64>
    return %sum_f16, %moved_f16, %sum_bf16, %moved_bf16, %sum_f64, %moved_f64, %sum_i8, %moved_i8, %sum_i16, %moved_i16, %sum_i32, %moved_i32, %sum_i64, %moved_i64 : tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xbf16>, tensor<4x2xbf16>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2xi8>, tensor<4x2xi8>, tensor<4x2xi16>, tensor<4x2xi16>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi64>, tensor<4x2xi64>
  }
}
