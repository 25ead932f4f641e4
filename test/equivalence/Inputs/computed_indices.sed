# Two lookups of clicks.onnx, as text, at indices that are computed: from the end, and of a transposed batch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
s|^    %1 = onnx.Gather %arg1, %arg7 : .*|    %r = onnx.Constant dense<1000> : tensor<i64>\n    %u = onnx.Sub %arg6, %r : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>\n    %0 = onnx.Gather %arg0, %u : (tensor<1000x16xf32>, tensor<?xi64>) -> tensor<?x16xf32>\n    %i = onnx.Transpose %arg7 {perm = array<i64: 1, 0>} : (tensor<?x3xi64>) -> tensor<3x?xi64>\n    %1 = onnx.Gather %arg1, %i : (tensor<1000x16xf32>, tensor<3x?xi64>) -> tensor<3x?x16xf32>|
/^    %0 = onnx.Gather/d
s|onnx.ReduceMean %1 {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<?x3x16xf32>)|onnx.ReduceMean %1 {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<3x?x16xf32>)|
